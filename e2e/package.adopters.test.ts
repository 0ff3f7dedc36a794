// npx vitest run --project adopters: the packed client as a registry, a compiler and other bundlers than vite see it.
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { BUNDLE_LIMITS } from '../extension/build/measure-bundles.ts';
import { startLockRegistry } from './lock-registry.ts';
import { packClient, runNpm } from './new-extension.ts';

const run = promisify(execFile);

let folder: string;
let installed: string;
let file: string;
let tarball: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'billing-package-'));
  file = await packClient(folder);
  tarball = new Uint8Array(readFileSync(file));
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const bundlers = ['webpack@5.112.2', 'webpack-cli@7.3.1', 'esbuild@0.28.2'];
  await runNpm(folder, ['install', '--prefer-offline', '--no-audit', '--no-fund', file, ...bundlers]);
  installed = join(folder, 'node_modules', '@extension-billing', 'client');
}, 180_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

it('has types for every door, as modules for bundlers and for Node', async () => {
  const { problems } = (await checkPackage(createPackageFromTarballData(tarball))) as {
    problems: readonly { kind: string; resolutionKind?: string }[];
  };
  // It is a package of modules: not for TypeScript's oldest resolution, nor for `require` without Node's own help.
  const others = problems.filter(
    ({ resolutionKind = '' }) => !['node10', 'node16-cjs'].includes(resolutionKind),
  );
  expect(others).toEqual([]);
});

// npm refuses a package over the range of an optional peer (ERESOLVE). The elements need no React.
it.each(['react@16', 'react@17', 'react@npm:@preact/compat@17'])('installs beside %s', async (react) => {
  const beside = await mkdtemp(join(tmpdir(), 'billing-beside-'));
  onTestFinished(() => rm(beside, { recursive: true, force: true }));
  writeFileSync(join(beside, 'package.json'), '{ "private": true }');
  await runNpm(beside, ['install', '--prefer-offline', '--no-audit', '--no-fund', react, file]);
});

it('can be published, with a proof of where it was built, by the lines of its changelog', async () => {
  const [, lines = ''] =
    readFileSync(join(installed, 'CHANGELOG.md'), 'utf8').match(/```sh\n([\s\S]*?)```/) ?? [];
  const checkout = join(folder, 'checkout');
  await cp(installed, join(checkout, 'packages', 'client'), { recursive: true });
  writeFileSync(join(checkout, 'package.json'), '{ "private": true, "workspaces": ["packages/client"] }');
  const registry = await startLockRegistry(new URL('../package-lock.json', import.meta.url));
  const env = {
    ...process.env,
    ...{ VERSION: '1.2.3', GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'my-shop/billing' },
    ...{
      npm_config_registry: registry.url,

      npm_config_ignore_scripts: 'true',
    },
  };
  const dry = lines.replace('npm publish', 'npm publish --dry-run --provenance --json');
  expect(dry).not.toBe(lines);
  const { stdout } = await run('sh', ['-ec', dry], { cwd: checkout, env }).finally(registry.close);
  const published = JSON.parse(stdout.slice(stdout.lastIndexOf('\n{') + 1));
  const about = published['@extension-billing/client'] ?? published;
  expect(about).toMatchObject({ name: '@extension-billing/client', version: '1.2.3' });
  const files: string[] = about.files.map(({ path }: { path: string }) => path);
  expect(files).toEqual(
    expect.arrayContaining(['README.md', 'LICENSE', 'CHANGELOG.md', 'dist/background.js']),
  );
  const isMeant = (path: string): boolean =>
    /^(?:dist\/|package\.json$|(?:README|CHANGELOG)\.md$|LICENSE$)/.test(path) &&
    !/\.test\.|\.tsx?$(?<!\.d\.ts)/.test(path);
  expect(files.filter((path) => !isMeant(path))).toEqual([]);
  const { repository, publishConfig } = JSON.parse(
    readFileSync(join(checkout, 'packages', 'client', 'package.json'), 'utf8'),
  );
  expect(repository).toMatchObject({
    url: 'git+https://github.com/my-shop/billing.git',
    directory: 'packages/client',
  });
  expect(publishConfig).toEqual({ access: 'public', provenance: true });
});

it('names no package that it does not bring, but React and, in types, valibot and vite', () => {
  const dist = join(installed, 'dist');
  const named = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:js|d\.ts)$/.test(file))
    .flatMap((file) => [
      ...readFileSync(join(dist, file), 'utf8').matchAll(
        /^(?:import|export)[^'"\n]* from ['"]([^.'"][^'"]*)['"]/gm,
      ),
    ])
    .map(([, name = '']) => name.replace(/^(@[^/]+\/[^/]+|[^@/][^/]*).*$/, '$1'));
  expect([...new Set(named)].toSorted()).toEqual(
    ['node:path', 'react', 'valibot', 'vite'].filter((name) => named.includes(name)),
  );
});

const WORKER = `
  import { createBillingBackground } from '@extension-billing/client/background';
  createBillingBackground({ apiBaseUrl: 'https://shop.example/api', firebase: { projectId: 'shop', apiKey: 'k' } });
`;
/** @returns the worker's size as Chrome reads it, in bytes */
const sizeOf = (file: string): number => gzipSync(readFileSync(join(folder, file)), { level: 9 }).length;
const bin = (name: string): string => join(folder, 'node_modules', '.bin', name);

it.each([
  [
    'webpack',
    [
      'webpack',
      '--mode',
      'production',
      '--entry',
      './worker.js',
      '-o',
      'webpack',
      '--output-filename',
      'out.js',
    ],
  ],
  ['esbuild', ['esbuild', 'worker.js', '--bundle', '--minify', '--format=esm', '--outfile=esbuild/out.js']],
])('keeps the worker within its limit, built by %s', async (name, [program = '', ...words]) => {
  writeFileSync(join(folder, 'worker.js'), WORKER);
  mkdirSync(join(folder, name), { recursive: true });
  await run(bin(program), words, { cwd: folder });
  const size = sizeOf(join(name, 'out.js'));
  expect(size).toBeLessThanOrEqual(BUNDLE_LIMITS.background);
  // Nothing of it fell out: it is what the package has.
  expect(size).toBeGreaterThan(0.9 * sizeOf('node_modules/@extension-billing/client/dist/background.js'));
});
