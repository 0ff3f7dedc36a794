import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import shipped from '../../billing.config.ts';
import { addressesFrom } from '../build/addresses.ts';
import { BUNDLE_LIMITS, findRemoteCode, measureBundles } from '../build/measure-bundles.ts';
import { manifest } from '../manifest.config.ts';

const CONFIG = fileURLToPath(new URL('../vite.config.ts', import.meta.url));

const dist = mkdtempSync(join(tmpdir(), 'billing-dist-'));
beforeAll(async () => {
  // The test runner sets it to "test", which would bring React's development build.
  vi.stubEnv('NODE_ENV', 'production');
  await build({ configFile: CONFIG, logLevel: 'error', build: { outDir: dist, emptyOutDir: true } });
  vi.unstubAllEnvs();
}, 60_000);
afterAll(() => rmSync(dist, { recursive: true, force: true }));

const read = (path: string): string => readFileSync(join(dist, path), 'utf8');
const scripts = (): string[] => readdirSync(join(dist, 'assets')).filter((name) => name.endsWith('.js'));

it('keeps the background and the pages within their limits, and says how big they are', () => {
  const sizes = measureBundles(dist);
  console.info('gzipped bytes', sizes);
  for (const [name, limit] of Object.entries(BUNDLE_LIMITS))
    expect(sizes[name as keyof typeof BUNDLE_LIMITS], name).toBeLessThanOrEqual(limit);
});

it('links the styles of what it shows at once, and loads those of walls with their script', () => {
  const page = read('src/demo/popup/index.html');
  const linked = [...page.matchAll(/href="\/([^"]+\.css)"/g)].map(([, path = '']) => read(path)).join('');
  for (const name of ['billing-meter', 'billing-status', 'billing-feature', 'billing-head'])
    expect(linked).toContain(`.${name}{`);
  const sheets = readdirSync(join(dist, 'assets')).filter((name) => name.endsWith('.css'));
  for (const name of ['billing-wall', 'billing-pack', 'billing-sign-in']) {
    const rule = new RegExp(`\\.${name}(?![\\w-])`);
    const holding = sheets.filter((file) => rule.test(read(`assets/${file}`)));
    const isLoaded = (file: string) => scripts().some((script) => read(`assets/${script}`).includes(file));
    expect(rule.test(linked) || holding.some(isLoaded), name).toBe(true);
  }
});

it('names no address from which code could be loaded, which the Web Store rejects', () => {
  expect(findRemoteCode(dist)).toEqual([]);
  const page = join(dist, 'remote.html');
  writeFileSync(page, '<script src="https://apis.google.com/js/api.js"></script>');
  expect(findRemoteCode(dist)).not.toEqual([]);
  rmSync(page);
});

it('says beside the bundle which catalogue is in it, for the doctor', () => {
  expect(JSON.parse(read('billing-catalog.json'))).toEqual(JSON.parse(JSON.stringify(shipped)));
});

it('holds nothing that only a server may know', () => {
  for (const name of scripts()) expect(read(`assets/${name}`), name).not.toMatch(/sk_(test|live)_|whsec_/);
});

const REAL_PROJECT = {
  VITE_API_BASE_URL: 'https://us-central1-shop.cloudfunctions.net/api',
  VITE_FIREBASE_PROJECT_ID: 'shop',
  VITE_FIREBASE_API_KEY: 'AIza-public',
  VITE_AUTH_EMULATOR_URL: '',
  VITE_FIRESTORE_EMULATOR: '',
  VITE_RETURN_ORIGIN: 'https://shop.example',
};

it('lets a build for a real project reach its own services and nothing else', () => {
  const text = JSON.stringify(manifest(addressesFrom(REAL_PROJECT), { development: false }));
  expect(text).not.toMatch(/127\.0\.0\.1|localhost/);
  expect([...text.matchAll(/https:\/\/[^\s"'/*]+/g)].map(([origin]) => origin).sort()).toEqual([
    'https://firestore.googleapis.com',
    'https://identitytoolkit.googleapis.com',
    'https://securetoken.googleapis.com',
    'https://shop.example',
    'https://us-central1-shop.cloudfunctions.net',
  ]);
});

it('asks for the least permissions: identity only where Google sign-in is set up, no hosts', () => {
  const without = manifest(addressesFrom(REAL_PROJECT), { development: false });
  const withGoogle = manifest(addressesFrom({ ...REAL_PROJECT, VITE_GOOGLE_CLIENT_ID: 'c' }), {
    development: false,
  });
  expect(without.permissions).toEqual(['storage', 'alarms', 'sidePanel']);
  expect(withGoogle.permissions).toEqual(['storage', 'alarms', 'sidePanel', 'identity']);
  expect(without).not.toHaveProperty('host_permissions');
});
