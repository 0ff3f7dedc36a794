import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const text = readFileSync(new URL('docs/architecture.md', root), 'utf8');
const readme = readFileSync(new URL('README.md', root), 'utf8');

const steps = [...text.matchAll(/^\| `([^`]+\.ts)` \| `(\w+)` \|/gm)].map(([, file = '', name = '']) => ({
  file,
  name,
}));
const files = [
  ...`${text}\n${readme}`.matchAll(/`((?:functions|extension|scripts|simulator|e2e)\/[\w./-]+\.\w+)`/g),
]
  .map(([, file = '']) => file)
  .filter((file, index, all) => all.indexOf(file) === index);

it('traces both flows', () => {
  expect(steps.length).toBeGreaterThanOrEqual(14);
});

it.each(steps)('$file has $name', ({ file, name }) => {
  expect(readFileSync(new URL(file, root), 'utf8')).toMatch(
    new RegExp(`(function|const|async)\\s+${name}\\b|\\b${name}\\s*[(:]`),
  );
});

it.each(files)('%s, which the README or the architecture names, exists', (file) => {
  expect(existsSync(new URL(file, root))).toBe(true);
});
