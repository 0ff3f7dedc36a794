import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { expect, it } from 'vitest';
import catalog from '../../billing.config.ts';
import { checkParameters } from '../../packages/cli/src/doctor/check-parameters.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const guide = read('docs/going-live.md');

it('the guide names files that are there', () => {
  const named = [...guide.matchAll(/`((?:functions|packages|tools|public|docs)\/[\w./*-]+)`/g)].map(
    ([, path = '']) => path,
  );
  const made = ['functions/dist', 'functions/.env.my-shop-1'];
  expect(named.length).toBeGreaterThan(8);
  expect(
    named.filter(
      (path) =>
        !made.includes(path) && globSync(path, { cwd: root }).length === 0 && !existsSync(join(root, path)),
    ),
  ).toEqual([]);
});

it('the guide’s parameters pass the checks of a deployment', () => {
  const [, block = ''] = /```ini functions\/\.env\.my-shop-1\n([\s\S]*?)```/.exec(guide) ?? [];
  const findings = checkParameters(parseEnv(block), 'my-shop-1', catalog);
  expect(findings.filter(({ ok }) => !ok)).toEqual([]);
  expect(findings.length).toBeGreaterThan(1);
});
