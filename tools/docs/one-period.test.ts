import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isPeriod } from '@extension-billing/contract/period';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SHIPPED = ['functions/src', 'packages', 'extension/src', 'billing.config.ts'];
const HOME = 'packages/contract/src/period.ts';

function sourcesIn(place: string): readonly string[] {
  if (place.endsWith('.ts')) return [place];
  return readdirSync(join(root, place), { recursive: true, encoding: 'utf8' })
    .filter((file) => /^(?!.*(?:node_modules|dist|\.test\.)).*\.tsx?$/.test(file))
    .map((file) => `${place}/${file}`);
}

/** A pattern of hours ("5h"), or of the periods' names: whoever writes one says again what a period is. */
const WRITTEN = /\/[^/\n]*(?:month\|week|week\|day|week\|month|\\d[^/\n]{0,8}h\)?\$?\/)/;

it('what a period is stands in one file', () => {
  const files = SHIPPED.flatMap(sourcesIn);
  expect(files.length).toBeGreaterThan(300);
  const found = files.filter((file) => WRITTEN.test(readFileSync(join(root, file), 'utf8')));
  expect(found, 'use isPeriod of contract/period').toEqual([HOME]);
});

it.each(['month', 'week', 'day', '1h', '5h', '9999h'])('%s is a period', (value) => {
  expect(isPeriod(value)).toBe(true);
});

it.each([
  'once',
  'year',
  '0h',
  '05h',
  '10000h',
  '1.5h',
  '-1h',
  '5H',
  ' 5h',
  '5h\n',
  'h',
  '',
  5,
  null,
  ['day'],
])('%j is none', (value) => {
  expect(isPeriod(value)).toBe(false);
});
