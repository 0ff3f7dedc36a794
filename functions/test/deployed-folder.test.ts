import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DEPLOYED_ENVIRONMENT } from './app/config.ts';
import { serveBundle } from './fixtures/serve-bundle.ts';

// It builds, packs, installs and starts: on a busy machine that takes long.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
vi.stubEnv('FUNCTIONS_DISCOVERY_TIMEOUT', '100');

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TOOLS = join(ROOT, 'node_modules/firebase-tools/lib/deploy/functions');
const { prepareFunctionsUpload } = createRequire(import.meta.url)(join(TOOLS, 'prepareFunctionsUpload.js'));
const { tryCreateDelegate } = createRequire(import.meta.url)(join(TOOLS, 'runtimes/node/index.js'));
const { toBackend } = createRequire(import.meta.url)(join(TOOLS, 'build.js'));
const { ParamValue } = createRequire(import.meta.url)(join(TOOLS, 'params.js'));

const [config] = JSON.parse(readFileSync(join(ROOT, 'firebase.json'), 'utf8')).functions;

/** In the repository, where firebase-tools finds the firebase-functions that it analyses with. */
const ignored = join(ROOT, 'functions/.firebase');
mkdirSync(ignored, { recursive: true });
const project = mkdtempSync(join(ignored, 'deploy-'));
const source = join(project, config.source);
/** What Cloud Build unpacks: far from the repository and all that is installed there. */
const unpacked = mkdtempSync(join(tmpdir(), 'billing-deployed-'));

beforeAll(async () => {
  execFileSync(process.execPath, [join(ROOT, 'functions/build.ts'), source]);
  // What the folder also has after the suite used it, and what nobody wants in the cloud.
  for (const name of ['.built-with.json', '.env.local', 'debug.log']) writeFileSync(join(source, name), 'x');
  const { pathToSource } = await prepareFunctionsUpload(project, source, config, [], undefined, {
    exportType: 'tar.gz',
  });
  execFileSync('tar', ['-xzf', pathToSource, '-C', unpacked]);
  rmSync(pathToSource);
});

afterAll(() => {
  for (const folder of [project, unpacked]) rmSync(folder, { recursive: true, force: true });
});

const readJson = (name: string) => JSON.parse(readFileSync(join(unpacked, name), 'utf8'));

/** What `npm ci --omit=dev` installs by the folder's lock, taken from what is installed here instead of a registry. */
function install(): void {
  for (const [path, { version, dev }] of Object.entries<{ version: string; dev?: true }>(
    readJson('package-lock.json').packages,
  )) {
    if (path === '' || dev === true) continue;
    const from = join(ROOT, path);
    expect([path, JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')).version]).toEqual([
      path,
      version,
    ]);
    const isNested = (file: string) => file.slice(from.length).includes('/node_modules');
    cpSync(from, join(unpacked, path), { recursive: true, filter: (file) => !isNested(file) });
  }
}

describe('the deployed folder', () => {
  it('has the bundle, what it is to be installed with, and nothing else', () => {
    expect(
      readdirSync(unpacked)
        .filter((name) => name !== 'node_modules')
        .toSorted(),
    ).toEqual([
      'THIRD_PARTY_NOTICES.md',
      'firebase.cjs',
      'firebase.cjs.v8cache',
      'index.cjs',
      'package-lock.json',
      'package.json',
      'service.cjs',
      'service.cjs.v8cache',
      'stripe.cjs',
      'stripe.cjs.v8cache',
      'warm-up.cjs',
    ]);
  });

  it('holds no key and no secret, but the two that stand in while it warms up', () => {
    const files = readdirSync(unpacked).filter((name) => name !== 'node_modules');
    const texts = files.map((name) => readFileSync(join(unpacked, name), 'latin1'));
    const secrets = texts.flatMap((text) => text.match(/\b(?:[rs]k_(?:test|live)|whsec)_\w{8,}/g) ?? []);
    expect(new Set(secrets)).toEqual(new Set(['sk_test_warmup00000000', 'whsec_warmup00000000']));
  });

  it('is newer than the folder around it, which the suite takes for a source: nothing is built twice', () => {
    const changedAt = (path: string) => statSync(path).mtimeMs;
    expect(changedAt(join(source, 'index.cjs'))).toBeGreaterThan(changedAt(dirname(source)));
  });

  it('installs one package, pinned, whose every dependency is locked with its checksum', () => {
    const { dependencies, devDependencies } = readJson('package.json');
    expect(dependencies).toEqual({
      '@google-cloud/functions-framework': expect.stringMatching(/^\d+\.\d+\.\d+$/),
    });
    expect(devDependencies).toBeUndefined();
    const { packages } = readJson('package-lock.json');
    expect(packages[''].dependencies).toEqual(dependencies);
    for (const [path, locked] of Object.entries<{ version?: string; integrity?: string; dev?: true }>(
      packages,
    )) {
      if (path === '') continue;
      expect([path, locked]).toEqual([path, expect.objectContaining({ integrity: expect.any(String) })]);
      expect([path, locked.dev]).toEqual([path, undefined]);
    }
  });

  it('starts with only that installed: 401 without a token, 400 for a bad signature', async () => {
    install();
    execFileSync(process.execPath, ['warm-up.cjs', '--required'], { cwd: unpacked, stdio: 'ignore' });
    const framework = join(unpacked, 'node_modules/@google-cloud/functions-framework/build/src/main.js');
    const { base, isUp, output } = await serveBundle(unpacked, DEPLOYED_ENVIRONMENT, framework);
    expect([await isUp(), output()]).toEqual([true, expect.any(String)]);
    expect((await fetch(`${base}/credits/balance`)).status).toBe(401);
    const event = await fetch(`${base}/billing/webhook`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'stripe-signature': 't=1,v1=00' },
      body: '{"id":"evt_1"}',
    });
    expect([event.status, await event.json()]).toEqual([
      400,
      expect.objectContaining({ code: 'invalid_signature' }),
    ]);
  });
});

describe('firebase-tools', () => {
  it('finds every function in it, every parameter, and asks for both secrets', async () => {
    const delegate = await tryCreateDelegate({
      projectId: 'paid-extension-1',
      projectDir: project,
      sourceDir: source,
      runtime: config.runtime,
    });
    const found = await delegate.discoverBuild(
      {},
      {
        GCLOUD_PROJECT: 'paid-extension-1',
        FIREBASE_CONFIG: '{"projectId":"paid-extension-1"}',
      },
    );
    const { endpoints, params, requiredAPIs } = found;
    expect(Object.keys(endpoints).toSorted()).toEqual(['api', 'reconcileDaily', 'summarizeDays']);
    expect(endpoints.api).toMatchObject({
      entryPoint: 'api',
      runtime: 'nodejs24',
      httpsTrigger: { invoker: ['public'] },
    });
    const names = params.map(({ name, type }: { name: string; type: string }) => `${name} ${type}`);
    expect(names.toSorted()).toEqual([
      'BILLING_ALLOW_PROMO_CODES boolean',
      'BILLING_AUTOMATIC_TAX boolean',
      'BILLING_CANCEL_URL string',
      'BILLING_DISABLED boolean',
      'BILLING_EXTENSION_IDS string',
      'BILLING_FORMER_SECRET_KEYS string',
      'BILLING_MAX_INSTANCES int',
      'BILLING_MEMORY_MIB int',
      'BILLING_MIN_INSTANCES int',
      'BILLING_PORTAL_RETURN_URL string',
      'BILLING_PROVIDER_CALLS_PER_SECOND int',
      'BILLING_REGION string',
      'BILLING_SERVICE_ACCOUNTS string',
      'BILLING_SERVICE_AUDIENCE string',
      'BILLING_SHARED_ACCOUNT boolean',
      'BILLING_SUCCESS_URL string',
      'BILLING_TRIAL_DAYS string',
      'BILLING_WEB_ORIGINS string',
      'PAYMENT_SECRET_KEY secret',
      'PAYMENT_WEBHOOK_SECRET secret',
    ]);
    expect(requiredAPIs).toContainEqual(expect.objectContaining({ api: 'cloudscheduler.googleapis.com' }));
    const backend = toBackend(found, {
      BILLING_REGION: new ParamValue('europe-west1', false, { string: true }),
      BILLING_MIN_INSTANCES: new ParamValue('1', false, { number: true }),
      BILLING_MAX_INSTANCES: new ParamValue('20', false, { number: true }),
      BILLING_MEMORY_MIB: new ParamValue('1024', false, { number: true }),
    });
    expect(backend.endpoints['europe-west1']).toMatchObject({
      api: { minInstances: 1, maxInstances: 20, availableMemoryMb: 1024 },
      reconcileDaily: { availableMemoryMb: 512 },
      summarizeDays: { availableMemoryMb: 512 },
    });
  });
});
