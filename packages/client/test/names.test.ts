import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { ELEMENTS } from '../src/elements/definitions.ts';

const SOURCE = fileURLToPath(new URL('../src', import.meta.url));

it.each([
  ['class', /\.([a-z][\w-]*)/g],
  ['property', /--([a-z][\w-]*)\s*:/g],
  ['keyframes', /@keyframes ([\w-]+)/g],
  ['layer', /@layer ([\w-]+)/g],
])('gives no %s in a style sheet a name that an extension may have', (_, form) => {
  const sheets = globSync(`${SOURCE}/**/*.css`).map((path) => readFileSync(path, 'utf8'));
  // Comments, numbers and file names have dots, too.
  const styles = sheets.map((text) =>
    text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/"[^"]*"|url\([^)]*\)/g, ''),
  );
  const names = styles.flatMap((text) => [...text.matchAll(form)].map(([, name = '']) => name));
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => !name.startsWith('billing-'))).toEqual([]);
});

it('names elements and their events with its prefix', () => {
  const names = Object.entries(ELEMENTS).flatMap(([name, { events }]) => [name, ...events]);
  expect(names.filter((name) => !name.startsWith('billing-'))).toEqual([]);
});
