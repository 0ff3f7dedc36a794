import { expect, it } from 'vitest';
import { FakeProvider, providerError } from '../../test/app/fake-provider.ts';
import { serveApp } from '../../test/app/serve-app.ts';
import type { AppDeps } from '../deps.ts';
import { Overloaded } from '../store/group-commit.ts';

const auth = {
  verifyIdToken: async () => ({ uid: 'user-1', exp: 32_503_680_000 }),
  getUser: async () => ({ uid: 'user-1', disabled: false, providerData: [{}], metadata: {} }),
} as unknown as AppDeps['auth'];

const stored = { exists: true, data: () => ({ customerId: 'cus_1' }), get: () => ({ customerId: 'cus_1' }) };
const firestore = {
  doc: (path: string) => ({ path }),
  getAll: async () => [stored, stored],
} as unknown as AppDeps['firestore'];

it.each([
  ['is over its own limit', { statusCode: 429, headers: { 'retry-after': '7' } }, '7'],
  ['is over its limit and does not say for how long', { statusCode: 429 }, '2'],
  ['asks for longer than anybody waits', { statusCode: 429, headers: { 'retry-after': '86400' } }, '60'],
  ['failed', { statusCode: 500 }, '2'],
  ['did not answer', {}, '2'],
  ['refused, which asking again does not change', { statusCode: 400 }, '60'],
])('a provider that %s reaches the caller as 502 with a time to wait', async (_what, fields, seconds) => {
  const provider = new FakeProvider();
  const fail = async () => Promise.reject(providerError('StripeRateLimitError', fields));
  const base = await serveApp({
    auth,
    firestore,
    stripe: async () =>
      ({ ...(await provider.stripe()), billingPortal: { sessions: { create: fail } } }) as never,
  });
  const response = await fetch(`${base}/billing/portal`, {
    method: 'POST',
    headers: { authorization: 'Bearer some.id.token' },
  });
  expect([response.status, response.headers.get('retry-after')]).toEqual([502, seconds]);
});

it('an instance in which too many wait asks the caller to come again shortly', async () => {
  const getAll = () => Promise.reject(new Overloaded(5_000));
  const base = await serveApp({
    auth,
    firestore: { doc: (path: string) => ({ path }), getAll } as unknown as AppDeps['firestore'],
  });
  const headers = { authorization: 'Bearer some.id.token' };
  const response = await fetch(`${base}/credits/balance`, { headers });
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await response.json()).toMatchObject({ code: 'temporarily_unavailable' });
});
