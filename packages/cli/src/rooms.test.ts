import { globSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parseAst } from 'vitest/node';

const SRC = fileURLToPath(new URL('.', import.meta.url));
/** What each room may import of the others. */
const MAY_USE: Readonly<Record<string, readonly string[]>> = {
  local: [],
  support: ['local'],
  stripe: ['local', 'support'],
  backup: ['local', 'support'],
  customer: ['local', 'support', 'import'],
  import: ['local', 'support'],
  init: ['support'],
  keys: ['support'],
  report: ['support'],
  reconcile: ['local', 'support'],
  doctor: ['local', 'stripe', 'support'],
  deploy: ['local', 'support', 'doctor'],
  catalog: ['local', 'support', 'doctor', 'stripe'],
};
/** What is used of the repository beside its packages: the backend's rooms and the catalogue, and nothing of tools/. */
const OUTSIDE = /^\.\.\/(?:\.\.\/){2}(?:functions\/src\/|billing\.config\.ts$)/;

const files = globSync('*/**/*.ts', { cwd: SRC }).filter((path) => !path.endsWith('.test.ts'));

function importsOf(path: string): readonly string[] {
  const { body } = parseAst(readFileSync(resolve(SRC, path), 'utf8'), { lang: 'ts' });
  return body.flatMap((node) =>
    (node.type === 'ImportDeclaration' || node.type === 'ExportNamedDeclaration') &&
    node.source?.value.startsWith('.')
      ? [relative(SRC, resolve(SRC, dirname(path), node.source.value))]
      : [],
  );
}

it.each(files)('%s imports what its room may use', (path) => {
  const roomOf = (file: string) => file.split('/')[0] ?? '';
  const [room, imports] = [roomOf(path), importsOf(path)];
  const outside = imports.filter((target) => target.startsWith('..'));
  expect(outside.filter((target) => !OUTSIDE.test(target))).toEqual([]);
  const others = imports.filter((target) => !target.startsWith('..') && roomOf(target) !== room);
  expect(others.filter((target) => !MAY_USE[room]?.includes(roomOf(target)))).toEqual([]);
});
