import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import catalog from '../../billing.config.ts';
import { fillTables } from './api-page.ts';
import { makeDocument } from './document.ts';

export interface Generated {
  readonly file: string;
  /** What it should hold. */
  readonly text: string;
}

/** Everything in docs/ that follows from the contract. */
export function generatedFiles(): readonly Generated[] {
  const document = docs('openapi.json');
  const page = docs('api.md');
  return [
    { file: document, text: `${JSON.stringify(makeDocument(catalog), null, 2)}\n` },
    { file: page, text: fillTables(readFileSync(page, 'utf8')) },
  ];
}

function docs(name: string): string {
  return fileURLToPath(new URL(`../../docs/${name}`, import.meta.url));
}
