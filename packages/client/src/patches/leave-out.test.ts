import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseSync } from 'vite';
import { describe, expect, it } from 'vitest';
import { type LeftOut, leaveOut } from './leave-out.ts';
import { PARTS } from './small-firebase.ts';

const left = (code: string, ...rows: readonly LeftOut[]): { code: string; missing: readonly string[] } => {
  const { code: text, missing } = leaveOut(code, parseSync('module.js', code).program, rows);
  return { code: text.replaceAll(/\s+/g, ' ').trim(), missing };
};
const row = (names: readonly string[], instead?: string): LeftOut => ({
  why: '',
  names,
  ...(instead === undefined ? {} : { instead }),
});

it('lets a function throw that is left out, and puts another body in its place where one is given', () => {
  expect(left('export async function ask(a) { return fetch(a); }', row(['ask'])).code).toBe(
    "export async function ask(a) { throw Error('ask is left out') }",
  );
  expect(left('function ask(a) { return fetch(a); }', row(['ask'], 'return 1')).code).toBe(
    'function ask(a) { return 1 }',
  );
});

it('takes methods out of a class: all but the constructor, and but those of other rows', () => {
  const queue =
    'class Queue { constructor() { this.of = []; } get size() { return 0; } add(a) { this.of.push(a); } all() { return this.of; } }';
  expect(left(queue, row(['Queue.*']), row(['Queue.all'], 'return []')).code).toBe(
    'class Queue { constructor() { this.of = []; } get size() { return 0; } all() { return [] } }',
  );
  expect(left(queue, row(['Queue.constructor'], '')).code).toContain('constructor() { }');
});

it('names what a module does not have', () => {
  const rows = [row(['gone', 'Here.gone', 'Gone.*', 'here']), row(['Here.there'])];
  expect(left('class Here { there() {} } function here() {}', ...rows).missing).toEqual([
    'gone',
    'Here.gone',
    'Gone.*',
  ]);
});

const require = createRequire(import.meta.url);
const firebase = createRequire(require.resolve('firebase/auth'));
const FOLDERS = [
  join(dirname(firebase.resolve('@firebase/firestore/package.json')), 'dist'),
  join(dirname(firebase.resolve('@firebase/auth/package.json')), 'dist', 'web-extension-esm'),
  join(dirname(firebase.resolve('@firebase/app/package.json')), 'dist', 'esm'),
  join(dirname(firebase.resolve('@firebase/util/package.json')), 'dist'),
];

describe.each(FOLDERS)('the installed %s', (folder) => {
  const modules = readdirSync(folder)
    .filter((name) => name.endsWith('.esm.js') || (/esm/.test(folder) && name.endsWith('.js')))
    .map((name) => ({ path: join(folder, name), code: readFileSync(join(folder, name), 'utf8') }));
  const part = PARTS.find(({ path }) => modules.some((module) => path.test(module.path)));

  it('has each name that is left out of it, and is left as code that can be parsed', () => {
    const rows = part?.leftOut ?? [];
    const results = modules.map(({ path, code }) => {
      const text = part?.texts(code) ?? code;
      return { path, ...leaveOut(text, parseSync(path, text).program, rows) };
    });
    const missing = rows
      .flatMap(({ names }) => names)
      .filter((name) => results.every((result) => result.missing.includes(name)));
    expect(missing).toEqual([]);
    for (const { path, code } of results) expect(parseSync(path, code).errors).toEqual([]);
    expect(rows.length).toBeGreaterThan(0);
  });
});
