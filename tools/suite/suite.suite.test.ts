import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect, test, vi } from 'vitest';
import { HOST, PORT_NAMES, readPorts, requireFreePorts } from '../../packages/cli/src/local/ports.ts';
import { OFFSET, runSuite, type SuiteRun } from './run-suite.ts';

const ports = readPorts({ BILLING_PORT_OFFSET: String(OFFSET) });

/** Everything that a suite started is gone, and its ports are free for the next. */
async function expectNothingLeft(run: SuiteRun): Promise<void> {
  await vi.waitFor(() => expect(run.leftovers()).toEqual([]), { timeout: 15_000, interval: 100 });
  await requireFreePorts(ports, PORT_NAMES);
}

const LOOK_AROUND = `
  const { BILLING_BASE_URL, BILLING_DIRECT_URL, PROVIDER_BASE_URL, FIRESTORE_EMULATOR_HOST,
    FIREBASE_AUTH_EMULATOR_HOST, RETURN_BASE_URL, GCLOUD_PROJECT } = process.env;
  const get = async (url, headers = {}) => {
    const response = await fetch(url, { headers });
    return { status: response.status, body: await response.text() };
  };
  const authorization = 'Bearer sk_test_simulator0000000000';
  const endpoints = await get(PROVIDER_BASE_URL + '/v1/webhook_endpoints', { authorization });
  const documents = '/v1/projects/' + GCLOUD_PROJECT + '/databases/(default)/documents/';
  console.log('SEEN ' + JSON.stringify({
    emulated: (await get(BILLING_BASE_URL + '/credits/balance')).status,
    direct: (await get(BILLING_DIRECT_URL + '/credits/balance')).status,
    auth: (await get('http://' + FIREBASE_AUTH_EMULATOR_HOST)).status,
    stranger: (await get('http://' + FIRESTORE_EMULATOR_HOST + documents + 'customers/ann')).status,
    page: (await get(RETURN_BASE_URL + '/billing/success.html')).status,
    outside: (await get(RETURN_BASE_URL + '/..%2ffirebase.json')).status,
    endpoints: JSON.parse(endpoints.body).data.map(({ url }) => url),
  }));
  process.exit(7);
`;

test('a command finds every part up, and its exit status is the suite’s', async () => {
  const run = runSuite([process.execPath, '--input-type=module', '-e', LOOK_AROUND]);
  expect(await run.ended, run.output()).toEqual({ code: 7, signal: null });
  const seen = JSON.parse(/^SEEN (.*)$/m.exec(run.output())?.[1] ?? '{}');
  expect(seen).toEqual({
    emulated: 401,
    direct: 401,
    auth: 200,
    stranger: 403,
    page: 200,
    outside: 404,
    endpoints: [`http://${HOST}:${ports.functions}/demo-extension-billing/us-central1/api/billing/webhook`],
  });
  await expectNothingLeft(run);
});

test('Ctrl-C ends the command, what it started, and every part', async () => {
  const run = runSuite(['sleep 600 & echo running; wait']);
  await run.printed('running');
  expect(run.leftovers().length).toBeGreaterThan(5);
  run.child.kill('SIGINT');
  expect(await run.ended).toEqual({ code: 130, signal: null });
  await expectNothingLeft(run);
});

test('even when the suite is killed outright, nothing is left running', async () => {
  const run = runSuite(['sleep 600 & echo running; wait']);
  await run.printed('running');
  run.child.kill('SIGKILL');
  expect(await run.ended).toEqual({ code: null, signal: 'SIGKILL' });
  await expectNothingLeft(run);
  expect(existsSync(`.suite/${run.child.pid}/project`)).toBe(false);
});

test('Ctrl-C while it starts ends what had been started', async () => {
  const run = runSuite(['true']);
  await vi.waitFor(() => expect(readdirSync(`.suite/${run.child.pid}`)).toContain('firestore.log'), {
    timeout: 20_000,
  });
  run.child.kill('SIGINT');
  expect((await run.ended).code).toBe(130);
  await expectNothingLeft(run);
});

test('a part that does not start is named with its last lines, and nothing is left running', async () => {
  const run = runSuite(['true'], { HIDANE: '/bin/false' });
  expect((await run.ended).code).toBe(1);
  expect(run.output()).toContain('firestore ended with 1. Its last lines:');
  await expectNothingLeft(run);
});

test('taken ports are all named, with the variables that move them, before anything starts', async () => {
  const blockers = [ports.auth, ports.direct].map((port) => createServer().listen(port, HOST));
  await Promise.all(blockers.map((server) => new Promise((resolve) => server.once('listening', resolve))));
  const run = runSuite(['true']);
  expect((await run.ended).code).toBe(1);
  expect(run.output()).toContain(`port ${ports.auth} (auth emulator) is taken; set BILLING_AUTH_PORT`);
  expect(run.output()).toContain(`port ${ports.direct} (direct server) is taken; set BILLING_DIRECT_PORT`);
  expect(existsSync(`.suite/${run.child.pid}`)).toBe(false);
  await Promise.all(blockers.map((server) => new Promise((resolve) => server.close(resolve))));
});

test('without a command it says how it is used', async () => {
  const run = runSuite([]);
  expect((await run.ended).code).toBe(2);
  expect(run.output()).toContain('usage: npm run suite -- ');
});
