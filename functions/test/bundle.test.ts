import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { LOCAL_ENVIRONMENT } from './app/config.ts';

const FUNCTIONS = fileURLToPath(new URL('..', import.meta.url));
const FRAMEWORK = join(FUNCTIONS, '../node_modules/.bin/functions-framework');

/** A folder as it is deployed: the bundle and a package.json. In here, so that node_modules is found. */
const ignored = join(FUNCTIONS, '.firebase');
mkdirSync(ignored, { recursive: true });
const folder = mkdtempSync(join(ignored, 'bundle-'));

beforeAll(() => {
  execFileSync(process.execPath, [join(FUNCTIONS, 'build.ts'), join(folder, 'dist')]);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ main: 'dist/index.cjs' }));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return address !== null && typeof address === 'object' ? address.port : 0;
}

/** The bundle in the server that runs it in production; ends with the test. */
async function serve(environment: Readonly<Record<string, string>>) {
  const port = await freePort();
  const child = spawn(process.execPath, [FRAMEWORK, '--target=api', `--source=${folder}`], {
    env: { ...environment, PORT: String(port), PATH: process.env.PATH, GCLOUD_PROJECT: 'demo-bundle' },
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const ended = new Promise<number | null>((exited) => child.on('exit', exited));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const base = `http://127.0.0.1:${port}`;
  const isUp = async (): Promise<boolean> => {
    while (child.exitCode === null) {
      const answered = await fetch(`${base}/nowhere`).catch(() => null);
      if (answered !== null) return true;
      await sleep(50);
    }
    return false;
  };
  return { base, isUp, ended, output: () => output };
}

describe('the deployed bundle', () => {
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
    const { PAYMENT_SECRET_KEY: _, ...incomplete } = LOCAL_ENVIRONMENT;
    const { isUp, ended, output } = await serve({ ...incomplete, BILLING_SUCCESS_URL: '/thanks' });
    expect(await isUp()).toBe(false);
    expect(await ended).not.toBe(0);
    expect(output()).toContain('PAYMENT_SECRET_KEY must be');
    expect(output()).toContain('BILLING_SUCCESS_URL must be');
  });

  it('does not start when deployed with the simulator’s address', async () => {
    const { FUNCTIONS_EMULATOR: _, ...deployed } = LOCAL_ENVIRONMENT;
    const { isUp, output } = await serve({ ...deployed, PAYMENT_API_BASE: 'http://127.0.0.1:4242' });
    expect(await isUp()).toBe(false);
    expect(output()).toContain('PAYMENT_API_BASE is for the emulator only');
  });

  it('tells firebase-tools its functions, their secrets and their settings, without any of them', () => {
    const script = `
      const { api, reconcileDaily, ...rest } = require(${JSON.stringify(join(folder, 'dist/index.cjs'))});
      const { secretEnvironmentVariables, concurrency, region } = api.__endpoint;
      const { schedule } = reconcileDaily.__endpoint.scheduleTrigger;
      const daily = { schedule, secrets: reconcileDaily.__endpoint.secretEnvironmentVariables.length };
      console.log(JSON.stringify({ secretEnvironmentVariables, concurrency, region, daily, rest }));`;
    const env = { PATH: process.env.PATH, FUNCTIONS_CONTROL_API: 'true', GCLOUD_PROJECT: 'demo-bundle' };
    const told = execFileSync(process.execPath, ['--eval', script], { env, encoding: 'utf8' });
    expect(JSON.parse(told)).toEqual({
      secretEnvironmentVariables: [{ key: 'PAYMENT_SECRET_KEY' }, { key: 'PAYMENT_WEBHOOK_SECRET' }],
      concurrency: 80,
      region: ['us-central1'],
      daily: { schedule: 'every day 03:30', secrets: 2 },
      rest: {},
    });
  });
});
