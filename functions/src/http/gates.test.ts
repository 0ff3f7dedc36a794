import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { testCatalog } from '@extension-billing/contract/test/catalog';
import express from 'express';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { aConfig } from '../../test/app/config.ts';
import { keptLog, serveApp } from '../../test/app/serve-app.ts';
import type { Config } from '../config.ts';
import type { AppDeps } from '../deps.ts';
import { sendJson } from './answer.ts';
import { errorHandler } from './error-handler.ts';
import { answerInTime, extensionOf, ownExtensions, requestId } from './gates.ts';

/** A server whose one route answers when it is let, and not before. */
async function serveSlowly(withinMs: number) {
  const log = keptLog();
  const late = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const app = express();
  app.use(requestId(log), answerInTime(withinMs));
  app.post('/slow', async (req, res) => {
    for await (const _chunk of req);
    await late.promise;
    sendJson(res, 200, { ok: true });
    answered.resolve();
  });
  app.use(errorHandler);
  const server = createServer(app);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/slow`, port, log, late, answered };
}

it('a request that takes too long is answered with a time to try again, and its late end disturbs nobody', async () => {
  const { url, log, late, answered } = await serveSlowly(20);
  const response = await fetch(url, { method: 'POST' });
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await response.json()).toMatchObject({ code: 'temporarily_unavailable' });
  late.resolve();
  await answered.promise;
  expect(log.lines.map(({ event }) => event)).toEqual(['not_answered_in_time']);
});

it('so is one whose body does not come', async () => {
  const { port } = await serveSlowly(20);
  const call = request({ port, path: '/slow', method: 'POST', headers: { 'content-length': 10 } });
  onTestFinished(() => {
    call.destroy();
  });
  const status = await new Promise((resolve, reject) => {
    call.on('response', (response) => resolve(response.statusCode)).on('error', reject);
    call.write('{');
  });
  expect(status).toBe(503);
});

it('one that is answered in time hears nothing of it', async () => {
  const { url, log, late } = await serveSlowly(10_000);
  late.resolve();
  expect((await fetch(url, { method: 'POST' })).status).toBe(200);
  expect(log.lines).toEqual([]);
});

const NAME = 'name-of-1-request';
const MADE_HERE = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function ask(path: string, init: RequestInit = {}, disabled = false) {
  const log = keptLog();
  const base = await serveApp({ log, config: aConfig({ disabled }) });
  const response = await fetch(base + path, init);
  const named = log.lines.map((line) => log.nameOf(line));
  return { status: response.status, answered: response.headers.get('x-correlation-id'), named };
}
const sending = (name: string) => ({ headers: { 'x-correlation-id': name } });

describe('the name of a request', () => {
  it.each([
    ['a refused token', '/credits/balance', 'GET', 401],
    ['a path that is nowhere', '/nowhere', 'GET', 404],
    ['another method', '/credits/balance', 'DELETE', 405],
    ['billing that is off', '/billing/checkout', 'POST', 501],
  ])('is in the answer and in the one line of %s', async (_what, path, method, status) => {
    const answer = await ask(path, { method, ...sending(NAME) }, status === 501);
    expect(answer).toEqual({ status, answered: NAME, named: [NAME] });
  });

  it.each([
    ['none is sent', undefined],
    ['it is empty', ''],
    ['it is too short', 'a2345'],
    ['it is too long', 'x'.repeat(65)],
    ['it is a mail address', 'ann@example.test'],
    ['it would begin a log line of its own', 'name-1 {"severity":"INFO"}'],
    ['it is no ASCII', 'näme-of-one'],
    ['it is sent twice', `${NAME}, ${NAME}`],
  ])('is made here where %s', async (_what, name) => {
    const { answered, named } = await ask('/credits/balance', name === undefined ? {} : sending(name));
    expect(answered).toMatch(MADE_HERE);
    expect(named).toEqual([answered]);
  });

  it('is another one for each request', async () => {
    const [first, second] = [await ask('/credits/balance'), await ask('/credits/balance')];
    expect(first.answered).not.toBe(second.answered);
  });

  it('may be sent and read by the extension, and by no other page', async () => {
    const preflight = async (origin: string) => {
      const response = await fetch(`${await serveApp()}/credits/consume`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
      const { headers } = response;
      return [headers.get('access-control-allow-headers'), headers.get('access-control-expose-headers')];
    };
    expect(await preflight('chrome-extension://keggfklddlhbjeolakknnaliambbpajm')).toEqual([
      expect.stringContaining('X-Correlation-Id'),
      expect.stringContaining('X-Correlation-Id'),
    ]);
    expect(await preflight('https://elsewhere.example')).toEqual([null, null]);
  });

  it('may be sent and read in Firefox, whose origins say no id, where an extension of the project is Firefox’s', async () => {
    const inFirefox = 'moz-extension://3ea6c5b6-f047-46a3-a6fa-8659bae85d25';
    const readerOf = async (origin: string, config: Partial<Config>, more: Partial<AppDeps> = {}) => {
      const base = await serveApp({ config: aConfig(config), ...more });
      const response = await fetch(`${base}/credits/balance`, { headers: { origin } });
      return response.headers.get('access-control-allow-origin');
    };
    const extensionIds = ['a'.repeat(32), 'mine@my-shop.example'];
    expect(await readerOf(inFirefox, { extensionIds })).toBe(inFirefox);
    const apps = { 'mine@my-shop.example': { sells: [], entitlements: [] } };
    const catalog = () => ({ ...testCatalog, apps });
    expect(await readerOf(inFirefox, { extensionIds: [] }, { catalog })).toBe(inFirefox);
    expect(await readerOf(inFirefox, { extensionIds: extensionIds.slice(0, 1) })).toBeNull();
    for (const page of ['moz-extension://mine@my-shop.example', `${inFirefox}.example`, 'https://mine'])
      expect(await readerOf(page, { extensionIds }), page).toBeNull();
  });
});

const verifyIdToken = async (token: string) => ({ uid: token, exp: 32_503_680_000 });
const auth = { verifyIdToken } as unknown as AppDeps['auth'];

it('a user who asks too often is answered when to come back, and then may; nobody else is', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const base = await serveApp({ config: aConfig({ rateLimit: { perSecond: 2, burst: 4 } }), auth });
  const statusFor = async (uid: string) => {
    const response = await fetch(`${base}/billing/portal`, {
      method: 'POST',
      headers: { authorization: `Bearer ${uid}`, 'content-type': 'application/json' },
      body: '{"unexpected":1}',
    });
    return { status: response.status, retryAfter: Number(response.headers.get('retry-after')) };
  };

  for (let i = 0; i < 4; i += 1) expect((await statusFor('eager')).status).toBe(400);
  const refused = await statusFor('eager');
  expect(refused).toEqual({ status: 429, retryAfter: 2 });
  expect((await statusFor('calm')).status).toBe(400);
  vi.setSystemTime(Date.now() + refused.retryAfter * 1000);
  expect((await statusFor('eager')).status).toBe(400);
});

describe('of services', () => {
  const trusted = { token: 'token-of-the-host', name: 'shop', scopes: ['read'] } as const;
  const served = async (limits: Partial<AppDeps['config']>) => {
    const base = await serveApp({ config: aConfig(limits), auth, trusted });
    const asked = async (headers: Readonly<Record<string, string>>) => {
      const response = await fetch(`${base}/credits/usage?limit=no`, { headers });
      return { status: response.status, retryAfter: Number(response.headers.get('retry-after')) };
    };
    return {
      asUser: (uid: string) => asked({ authorization: `Bearer ${uid}` }),
      asService: (uid: string) => asked({ authorization: `Bearer ${trusted.token}`, 'billing-user': uid }),
    };
  };
  const few = { perSecond: 1, burst: 3 };
  const FEW = [400, 400, 400, 429];

  it('what a service asks for a user is counted apart from what the user asks', async () => {
    const { asUser, asService } = await served({ rateLimit: few });
    const statuses = async (ask: () => Promise<{ readonly status: number }>) => {
      const answers = [];
      for (let n = 0; n < 4; n += 1) answers.push((await ask()).status);
      return answers;
    };
    expect(await statuses(() => asUser('ada'))).toEqual(FEW);
    expect(await statuses(() => asService('ada'))).toEqual(FEW);
    expect((await asService('eve')).status).toBe(400);
  });

  it('a service that asks too often is told when to come again, for whichever user, and no user is', async () => {
    const { asUser, asService } = await served({ serviceRateLimit: few });
    const answers = [];
    for (let n = 0; n < 4; n += 1) answers.push((await asService(`user-${n}`)).status);
    expect(answers).toEqual(FEW);
    expect((await asService('ada')).retryAfter).toBeGreaterThan(0);
    expect((await asUser('ada')).status).toBe(400);
  });
});

it.each([
  ['pages of the portal', 'POST', '/billing/portal', 20],
  ['attempts to delete the account', 'POST', '/account/delete', 10],
  ['pages of usage, by the entries they read', 'GET', '/credits/usage?limit=500&from=never', 20],
] as const)(
  '%s are bounded by themselves, whatever else a user may ask',
  async (_what, method, path, most) => {
    const base = await serveApp({ auth });
    const ask = async (uid: string) => {
      const headers = { authorization: `Bearer ${uid}`, 'content-type': 'application/json' };
      const body = method === 'POST' ? '{"unexpected":1}' : null;
      const response = await fetch(`${base}${path}`, { method, headers, body });
      return { status: response.status, retryAfter: Number(response.headers.get('retry-after')) };
    };
    for (let i = 0; i < most; i += 1) expect((await ask('eager')).status).toBe(400);
    const { status, retryAfter } = await ask('eager');
    expect(status).toBe(429);
    expect(retryAfter).toBeGreaterThan(0);
    expect((await ask('calm')).status).toBe(400);
  },
);

describe('the extension that a request comes from', () => {
  const [sold, configured, stranger] = ['a'.repeat(32), 'b'.repeat(32), 'c'.repeat(32)];
  const apps = { [sold]: { sells: [], entitlements: [] } };
  const isOwn = ownExtensions({
    config: aConfig({ extensionIds: [configured] }),
    catalog: () => ({ ...testCatalog, apps }),
  });
  const from = (origin?: string) => extensionOf({ headers: origin === undefined ? {} : { origin } }, isOwn);

  it('is one of the catalogue’s or of the configured', () => {
    expect(from(`chrome-extension://${sold}`)).toBe(sold);
    expect(from(`chrome-extension://${configured}`)).toBe(configured);
  });

  it.each([
    `chrome-extension://${stranger}`,
    `chrome-extension://${sold}.example`,
    `https://${sold}`,
    'chrome-extension://constructor',
    'null',
    undefined,
  ])('is none for %s', (origin) => {
    expect(from(origin)).toBeNull();
  });
});
