import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const documents = ['README.md', 'docs/architecture.md'].map((name) =>
  readFileSync(new URL(name, root), 'utf8'),
);
const NAMED = /`((?:functions|packages|extension|examples|tools|e2e)\/[\w./-]+)`/g;
const named = new Set(documents.flatMap((text) => [...text.matchAll(NAMED)].map(([, path = '']) => path)));

it('names files', () => {
  expect(named.size).toBeGreaterThan(30);
});

it.each([...named])('%s, which the README or the architecture names, exists', (path) => {
  expect(existsSync(new URL(path, root))).toBe(true);
});
