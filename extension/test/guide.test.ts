import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { addressesFrom } from '../build/addresses.ts';
import { manifest } from '../manifest.config.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

/** The words in backticks of a chapter of the guide; with a column, of that column of its table. */
function named(chapter: string, column?: number): string[] {
  const [, rest = ''] = read('../../docs/add-billing.md').split(`## ${chapter}\n`);
  const [text = ''] = rest.split('\n## ');
  const cells =
    column === undefined ? [text] : text.split('\n').flatMap((line) => line.split('|')[column] ?? []);
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}
const exported = [
  ...read('../src/billing/exports/react.ts').matchAll(/(?<!type )\b(\w+)(?=[,\s]*[}]| ?,)/g),
].map(([, name = '']) => name);

it('lists in the guide every property by which the look is changed, and no other', () => {
  const defined = read('../src/billing/ui/tokens.css').match(/--billing-[\w-]+(?=:)/g) ?? [];
  expect(new Set(named('Theming').filter((name) => name.startsWith('--')))).toEqual(new Set(defined));
  expect(defined.length).toBeGreaterThan(20);
});

it('names for every component its logic without the look, all of it exported', () => {
  const components = exported.filter((name) => /^[A-Z]/.test(name) && !name.endsWith('Provider'));
  const listed = named('Without the look', 1).filter((name) => !name.endsWith('Provider'));
  expect(listed.toSorted()).toEqual(components.toSorted());
  const logic = named('Without the look', 2).filter((name) => !name.startsWith('send('));
  expect(exported).toEqual(expect.arrayContaining(logic));
  expect(logic.length).toBeGreaterThan(20);
});

it('gives every permission of the manifest its reason, and asks for no other', () => {
  const addresses = addressesFrom({ VITE_GOOGLE_CLIENT_ID: 'c' });
  const { permissions } = manifest(addresses, { development: false });
  expect(named('Permissions', 1).toSorted()).toEqual([...(permissions ?? [])].toSorted());
});
