import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { LINES_OF_REACT, lintBuilt } from '../build/lint-built.ts';
import { findRemoteCode } from '../build/measure-bundles.ts';

const CONFIG = fileURLToPath(new URL('../vite.config.ts', import.meta.url));

const dist = mkdtempSync(join(tmpdir(), 'billing-dist-firefox-'));
beforeAll(async () => {
  vi.stubEnv('NODE_ENV', 'production');
  vi.stubEnv('VITE_GOOGLE_CLIENT_ID', 'client-1');
  const options = { outDir: dist, emptyOutDir: true };
  await build({ configFile: CONFIG, mode: 'firefox', logLevel: 'error', build: options });
  vi.unstubAllEnvs();
}, 60_000);
afterAll(() => rmSync(dist, { recursive: true, force: true }));

const manifest = (): Record<string, unknown> => JSON.parse(readFileSync(join(dist, 'manifest.json'), 'utf8'));

it('passes the linter of Mozilla’s store: nothing but two lines of React', async () => {
  const found = await lintBuilt(dist);
  expect(
    found.map(({ code }) => code),
    JSON.stringify(found),
  ).toEqual(LINES_OF_REACT);
}, 180_000);

it('asks for the least permissions, and has every page that the manifest names', () => {
  expect(manifest()).toMatchObject({
    permissions: ['storage', 'alarms', 'identity'],
    background: { scripts: ['service-worker-loader.js'], type: 'module' },
    browser_specific_settings: { gecko: { strict_min_version: '140.0' } },
  });
  expect(manifest()).not.toHaveProperty('host_permissions');
  for (const page of ['popup', 'options', 'side-panel']) {
    expect(JSON.stringify(manifest())).toContain(`src/demo/${page}/index.html`);
    expect(readFileSync(join(dist, `src/demo/${page}/index.html`), 'utf8')).toContain('<script');
  }
});

it('names no address from which code could be loaded', () => {
  expect(findRemoteCode(dist)).toEqual([]);
});
