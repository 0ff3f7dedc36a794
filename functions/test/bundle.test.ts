import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { isLicense, licensesIn, packagesIn } from '../../tools/test/licenses.ts';
import { NOTICES_FILE } from '../bundle/third-party-notices.ts';
import { DEPLOYED_ENVIRONMENT, LOCAL_ENVIRONMENT } from './app/config.ts';
import { serveBundle } from './fixtures/serve-bundle.ts';

// A build and a process for each test: on a busy machine that takes long.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const BUILD = fileURLToPath(new URL('../build.ts', import.meta.url));

/** Away from every node_modules: whatever the bundle needs is in it. */
const scratch = mkdtempSync(join(tmpdir(), 'billing-bundle-'));
const folder = join(scratch, 'dist');

beforeAll(() => {
  execFileSync(process.execPath, [BUILD, folder]);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ main: 'index.cjs' }));
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const serve = (environment: Readonly<Record<string, string>>) => serveBundle(folder, environment);

/** How firebase-tools loads the function to learn what it exports. */
const DISCOVERY = { FUNCTIONS_CONTROL_API: 'true' };

/** What a script tells that is given the loaded bundle as `loaded`. */
function tell(script: string, environment: Readonly<Record<string, string>>): unknown {
  const source = `
    const loaded = require(${JSON.stringify(join(folder, 'index.cjs'))});
    const tell = (told) => console.log('told:' + JSON.stringify(told));
    ${script}`;
  const env = { PATH: process.env.PATH, GCLOUD_PROJECT: 'demo-bundle', ...environment };
  const output = execFileSync(process.execPath, ['--eval', source], { env, encoding: 'utf8' });
  return JSON.parse(/^told:(.*)$/m.exec(output)?.[1] ?? 'null');
}

describe('the deployed bundle', () => {
  it('names every package in it with the text of its license', () => {
    const notices = licensesIn(readFileSync(join(folder, NOTICES_FILE), 'utf8'));
    const maps = ['service', 'firebase', 'stripe', 'index'].map((name) => join(folder, `${name}.cjs.map`));
    const bundled = packagesIn(maps);
    expect(bundled.length).toBeGreaterThan(50);
    expect(bundled.filter((name) => !notices.has(name))).toEqual([]);
    expect(bundled.filter((name) => !isLicense(notices.get(name)))).toEqual([]);
  });

  it('starts in the functions framework and answers by itself', async () => {
    const { base, isUp } = await serve(LOCAL_ENVIRONMENT);
    expect(await isUp()).toBe(true);
    const response = await fetch(`${base}/nowhere`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 'not_found' });
    expect(response.headers.get('x-powered-by')).toBeNull();
  });

  it('sees a body that its server could not have parsed', async () => {
    const { base, isUp } = await serve(LOCAL_ENVIRONMENT);
    expect(await isUp()).toBe(true);
    const response = await fetch(`${base}/billing/checkout`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"malformed',
    });
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(response.status).toBe(401);
  });

  it('answers 501 while billing is disabled, and needs no keys for it', async () => {
    const { base, isUp } = await serve({ BILLING_DISABLED: 'true' });
    expect(await isUp()).toBe(true);
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      expect((await fetch(`${base}/billing/anything`, { method })).status).toBe(501);
    }
  });

  it('does not start with a wrong configuration, and says everything that is wrong', async () => {
    const { PAYMENT_SECRET_KEY: _key, ...incomplete } = LOCAL_ENVIRONMENT;
    const { isUp, ended, output } = await serve({ ...incomplete, BILLING_SUCCESS_URL: '/thanks' });
    expect(await isUp()).toBe(false);
    expect(await ended).not.toBe(0);
    expect(output()).toContain('PAYMENT_SECRET_KEY must be');
    expect(output()).toContain('BILLING_SUCCESS_URL must be');
  });

  it('does not start when deployed with the simulator’s address', async () => {
    const { isUp, output } = await serve({
      ...DEPLOYED_ENVIRONMENT,
      PAYMENT_API_BASE: 'http://127.0.0.1:4242',
    });
    expect(await isUp()).toBe(false);
    expect(output()).toContain('PAYMENT_API_BASE is for the emulator only');
  });

  it('refuses a body beyond its limit while it is still coming: no server keeps it in memory first', async () => {
    const { base, isUp } = await serve(LOCAL_ENVIRONMENT);
    expect(await isUp()).toBe(true);
    const { port } = new URL(base);
    const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
    const call = request({ port, path: '/billing/webhook', method: 'POST', headers });
    onTestFinished(() => {
      call.destroy();
    });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      call.on('response', resolve).on('error', reject);
    });
    call.write(Buffer.alloc(1024 * 1024 + 1, 'x'));
    const { statusCode, headers: told } = await answered;
    expect([statusCode, told.connection]).toEqual([413, 'close']);
  });

  it('answers what it has begun when it is told to end, and then ends in order', async () => {
    const { base, isUp, pid, ended, output } = await serve(DEPLOYED_ENVIRONMENT);
    expect(await isUp()).toBe(true);
    const { port } = new URL(base);
    const slow = request({
      port,
      path: '/billing/webhook',
      method: 'POST',
      headers: { 'stripe-signature': 't=1,v1=00', 'content-length': 2, expect: '100-continue' },
    });
    const answered = new Promise<number | undefined>((resolve, reject) => {
      slow.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
    });
    slow.flushHeaders();
    await once(slow, 'continue');
    slow.write('{');
    process.kill(pid ?? 0, 'SIGTERM');
    await expect.poll(output, { timeout: 60_000 }).toContain('"event":"ending"');
    slow.end('}');
    expect(await answered).toBe(400);
    expect(await ended).toBe(0);
  });

  it('ends at once when nothing is under way', async () => {
    const { isUp, pid, ended } = await serve(DEPLOYED_ENVIRONMENT);
    expect(await isUp()).toBe(true);
    process.kill(pid ?? 0, 'SIGTERM');
    expect(await ended).toBe(0);
  });

  it('starts without its code cache, and with one that does not fit', () => {
    const cache = join(folder, 'service.cjs.v8cache');
    const made = readFileSync(cache);
    onTestFinished(() => writeFileSync(cache, made));
    const isLoaded = () => tell('tell(typeof loaded.api === "function")', DISCOVERY);
    writeFileSync(
      cache,
      made.map((byte) => 255 - byte),
    );
    expect(isLoaded()).toBe(true);
    rmSync(cache);
    expect(isLoaded()).toBe(true);
  });

  it.each(['service.cjs', 'firebase.cjs', 'stripe.cjs'])('%s is compiled from its code cache', (name) => {
    const script = `
      const read = (name) => require('node:fs').readFileSync(${JSON.stringify(folder)} + '/' + name);
      const source = require('node:module').wrap(read('${name}').toString('latin1'));
      const cachedData = read('${name}.v8cache');
      tell(!new (require('node:vm').Script)(source, { cachedData }).cachedDataRejected);`;
    expect(tell(script, DISCOVERY)).toBe(true);
  });

  it.each([
    ['service.cjs', 600],
    ['firebase.cjs', 1_700],
  ])('%s has nothing large that no request runs: below %i kB', (name, kB) => {
    expect(statSync(join(folder, name)).size / 1_000).toBeLessThan(kB);
  });
});

describe('importing the bundle', () => {
  it('opens no connection, starts no timer and loads no other module', () => {
    const script = `
      tell({
        modules: Object.keys(require.cache).length,
        resources: process.getActiveResourcesInfo().filter((name) => !name.endsWith('Wrap') || name.startsWith('TCP')),
      });`;
    expect(tell(script, DEPLOYED_ENVIRONMENT)).toEqual({ modules: 1, resources: [] });
  });

  it('reads no file of an SDK before a request needs it: not for one that is refused at the door', () => {
    const script = `
      const fs = require('node:fs');
      const read = [];
      const { readFileSync } = fs;
      fs.readFileSync = (file, ...rest) => { read.push(String(file)); return readFileSync(file, ...rest); };
      require('node:module').syncBuiltinESMExports();
      const server = require('node:http').createServer((req, res) => loaded.api(req, res));
      server.listen(0, '127.0.0.1', async () => {
        const base = 'http://127.0.0.1:' + server.address().port;
        const statusOf = async (path, init) => (await fetch(base + path, init)).status;
        const sdks = () => read.filter((file) => /(firebase|stripe)\\.cjs$/.test(file)).map((file) => file.split('/').at(-1));
        const seen = [await statusOf('/nowhere'), await statusOf('/credits/balance'), sdks()];
        seen.push(await statusOf('/billing/webhook', { method: 'POST', body: '{}' }), sdks());
        tell(seen);
        process.exit();
      });`;
    expect(tell(script, DEPLOYED_ENVIRONMENT)).toEqual([404, 401, [], 400, ['stripe.cjs']]);
  });

  it('tells firebase-tools its functions, their secrets and their settings, without any of them', () => {
    const script = `
      const { api, reconcileDaily, summarizeDays, ...rest } = loaded;
      const { secretEnvironmentVariables, concurrency, region, minInstances, maxInstances, availableMemoryMb } = api.__endpoint;
      const { schedule } = reconcileDaily.__endpoint.scheduleTrigger;
      const daily = { schedule, secrets: reconcileDaily.__endpoint.secretEnvironmentVariables.length };
      const hourly = summarizeDays.__endpoint.scheduleTrigger.schedule;
      tell({ secretEnvironmentVariables, concurrency, region, minInstances, maxInstances, availableMemoryMb, daily, hourly, rest });`;
    expect(tell(script, DISCOVERY)).toEqual({
      secretEnvironmentVariables: [{ key: 'PAYMENT_SECRET_KEY' }, { key: 'PAYMENT_WEBHOOK_SECRET' }],
      concurrency: 80,
      minInstances: 'params.BILLING_MIN_INSTANCES',
      maxInstances: 'params.BILLING_MAX_INSTANCES',
      availableMemoryMb: 'params.BILLING_MEMORY_MIB',
      region: 'params.BILLING_REGION',
      daily: { schedule: 'every 1 hours', secrets: 2 },
      hourly: '20 * * * *',
      rest: {},
    });
  });
});
