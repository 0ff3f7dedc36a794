import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseSync } from 'vite';
import { expect, it } from 'vitest';
import { CUTS, HOLDS_PIPELINES, STAND_INS } from './small-firebase.ts';

/** The modules of the Firestore that is installed, as a bundle for browsers gets them. */
const dist = join(
  dirname(createRequire(import.meta.url).resolve('@firebase/firestore/package.json')),
  'dist',
);
const modules = readdirSync(dist)
  .filter((name) => name.endsWith('.esm.js'))
  .map((name) => ({ name, code: readFileSync(join(dist, name), 'utf8') }));
const core = modules.filter(({ code }) => HOLDS_PIPELINES.test(code));

it('knows the one file of Firestore that it cuts', () => {
  expect(core).toHaveLength(1);
});

it.each(CUTS)('finds $what, and leaves code that can be parsed', ({ apply }) => {
  for (const { name, code } of core) {
    const small = apply(code);
    expect(small).not.toBe(code);
    expect(parseSync(name, small).errors).toEqual([]);
  }
});

it.each(Object.keys(STAND_INS))('stands in for %s, which Firestore still imports', (name) => {
  const imported = modules.flatMap(({ name: file, code }) =>
    parseSync(file, code).module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
  );
  expect(imported).toContain(name);
});
