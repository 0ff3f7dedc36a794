import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readIndexFile, singleFieldIndexes } from '../indexes/index-file.ts';
import { readMeasured } from './compute-cost.ts';
import { renderCost } from './render-cost.ts';
import { sizeOfEntry } from './size-of-entry.ts';

const LEDGER = 'credit_ledger';

const at = (path: string): URL => new URL(`../../${path}`, import.meta.url);
const readJson = (path: string) => JSON.parse(readFileSync(at(path), 'utf8'));

/** docs/cost.md as it should be now: from docs/performance.json, the list prices and the indexes that are deployed. */
export function costPage(): string {
  const file = readIndexFile(fileURLToPath(at('firestore.indexes.json')));
  const isIndexed = (field: string): boolean => singleFieldIndexes(file, LEDGER, field).length > 0;
  const composites = file.indexes
    .filter(({ collectionGroup }) => collectionGroup === LEDGER)
    .map(({ fields }) => fields.map(({ fieldPath }) => fieldPath));
  const size = sizeOfEntry(isIndexed, composites);
  return renderCost(readMeasured(readJson('docs/performance.json')), size);
}

export function writeCostPage(): void {
  writeFileSync(at('docs/cost.md'), costPage());
}
