import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MESSAGE_REQUESTS } from '@extension-billing/contract/messages';
import { expect, it } from 'vitest';
import { ELEMENTS } from '../src/elements/definitions.ts';
import { STORAGE_PREFIX } from '../src/web/storage.ts';

const SOURCE = fileURLToPath(new URL('../src', import.meta.url));
const PAGE = readFileSync(new URL('../../../docs/names.md', import.meta.url), 'utf8');

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  // What `init` writes is the extension's own.
  .filter((path) => /\.(tsx?|css)$/.test(path) && !/\.test\.|^init\b/.test(path))
  .map((path) => ({ path, text: readFileSync(join(SOURCE, path), 'utf8') }));
const found = (form: RegExp, ending = ''): string[] => [
  ...new Set(
    files
      .filter(({ path }) => path.endsWith(ending))
      .flatMap(({ text }) => [...text.matchAll(form)].map(([, name = '']) => name)),
  ),
];

/** What the tables of a chapter name. */
function listed(title: string): string[] {
  const chapter = PAGE.split(/^## /m).find((text) => text.startsWith(`${title}\n`)) ?? '';
  const rows = chapter.split('\n').filter((line) => line.startsWith('| '));
  return rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  );
}
const sorted = (names: readonly string[]): string[] => [...new Set(names)].sort();

it('lists every key of the storage', () => {
  const keys = found(/const \w*KEY = '(\w+)'/g);
  expect(sorted(listed('Storage'))).toEqual(sorted(keys));
  expect(keys.filter((key) => !key.startsWith('billing'))).toEqual(['entitlements']);
  // Every key has a constant: nothing is read or written by a name that stands in the middle of code.
  expect(found(/\b(?:local|session|area|memory)\??\.(?:get|remove)\((['"`].*)/g)).toEqual([]);
  expect(STORAGE_PREFIX.startsWith('extension-billing')).toBe(true);
});

it('lists every message', () => {
  const external = ['billingReturn', 'billingSignIn'];
  expect(sorted(listed('Messages'))).toEqual(sorted([...Object.keys(MESSAGE_REQUESTS), ...external]));
});

it('lists every alarm', () => {
  const alarms = found(/const \w*ALARM = '([\w-]+)'/g);
  expect(listed('Alarms')).toEqual(alarms);
  expect(alarms).toEqual(alarms.filter((name) => name.startsWith('billing-')));
  expect(found(/alarms\.create\((['"`].*)/g)).toEqual([]);
});

it('lists what pages get: elements, their events, globals', () => {
  const events = Object.values(ELEMENTS).flatMap(({ events }) => [...events]);
  const globals = found(/globalThis\.(\w+) = /g);
  const styles = ['.billing-…', '--billing-…', 'navigator.sendBeacon'];
  expect(sorted(listed('Pages'))).toEqual(
    sorted([...Object.keys(ELEMENTS), ...events, ...globals, ...styles]),
  );
  for (const name of [...Object.keys(ELEMENTS), ...events]) expect(name).toMatch(/^billing-/);
});

it('gives styles no name without its prefix', () => {
  // Comments name what they like; numbers and file names have dots too.
  const styles = files
    .filter(({ path }) => path.endsWith('.css'))
    .map(({ text }) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/"[^"]*"|url\([^)]*\)/g, ''));
  const names = (form: RegExp): string[] =>
    sorted(styles.flatMap((text) => [...text.matchAll(form)].map(([, name = '']) => name)));
  for (const form of [
    /\.([a-z][\w-]*)/g,
    /--([a-z][\w-]*)\s*:/g,
    /@keyframes ([\w-]+)/g,
    /@layer ([\w-]+)/g,
  ]) {
    const all = names(form);
    expect(all.length).toBeGreaterThan(0);
    expect(all.filter((name) => !name.startsWith('billing-'))).toEqual([]);
  }
  expect(names(/#([a-z][\w-]*)\s*[{,:]/g)).toEqual([]);
});

it('lists the Firebase app by its name', () => {
  expect(found(/const \w*APP_NAME = '([\w-]+)'/g)).toEqual(['extension-billing']);
  expect(listed('Databases')).toContain('extension-billing');
});
