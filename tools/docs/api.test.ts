import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { STATUS_OF } from '../../functions/src/errors.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const page = read('docs/api.md');

it('names every error code, with its status, and no other', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\d{3}) \|/gm)].map(([, code, status]) => [
    code,
    Number(status),
  ]);
  expect(Object.fromEntries(rows)).toEqual(STATUS_OF);
});

it('names every route, and no other', () => {
  const named = [...page.matchAll(/^\| `((?:GET|POST) [^`]+)` \|/gm)].map(([, route]) => route);
  const mounted = [...read('functions/src/app.ts').matchAll(/app\.route\('([^']+)'\)\s*\.(get|post)\(/g)].map(
    ([, path, method]) => `${method?.toUpperCase()} ${path}`,
  );
  expect(mounted.length).toBeGreaterThan(5);
  expect(named.toSorted()).toEqual(mounted.toSorted());
});
