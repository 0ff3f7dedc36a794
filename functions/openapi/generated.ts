import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fillTables } from './api-page.ts';
import { makeDocument } from './document.ts';
import type { Json } from './json-schema.ts';

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
    { file: document, text: `${layOut(makeDocument(null))}\n` },
    { file: page, text: fillTables(readFileSync(page, 'utf8')) },
  ];
}

const LINE_WIDTH = 110;

/** JSON with two spaces of indentation, and on one line what fits there. */
function layOut(value: Json, indent = '', before = 0): string {
  const line = JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, ' ');
  if (typeof value !== 'object' || value === null || indent.length + before + line.length < LINE_WIDTH)
    return line;
  const inner = `${indent}  `;
  const [open, close, entries] = Array.isArray(value)
    ? ['[', ']', value.map((one) => layOut(one, inner))]
    : [
        '{',
        '}',
        Object.entries(value).map(([name, one]) => `"${name}": ${layOut(one, inner, name.length + 4)}`),
      ];
  return `${open}\n${entries.map((entry) => inner + entry).join(',\n')}\n${indent}${close}`;
}

function docs(name: string): string {
  return fileURLToPath(new URL(`../../docs/${name}`, import.meta.url));
}
