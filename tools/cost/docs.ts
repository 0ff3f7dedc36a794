import { readFileSync } from 'node:fs';
import { type Measured, readMeasured } from './counted.ts';

const readJson = (path: string) =>
  JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));

/** What the pages are made of: docs/performance.json and docs/operations.json. */
export function readDocs(): Measured {
  return readMeasured(readJson('docs/performance.json'), readJson('docs/operations.json'));
}
