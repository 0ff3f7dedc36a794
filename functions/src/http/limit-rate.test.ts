import { expect, it, onTestFinished, vi } from 'vitest';
import { aConfig } from '../../test/app/config.ts';
import { serveApp } from '../../test/app/serve-app.ts';
import type { AppDeps } from '../deps.ts';

const verifyIdToken = async (token: string) => ({ uid: token, exp: 32_503_680_000 });
const auth = { verifyIdToken } as unknown as AppDeps['auth'];

it('a user who asks too often is told when to come back, and then may; nobody else is', async () => {
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
