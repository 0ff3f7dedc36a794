import { expect, it } from 'vitest';
import { aConfig } from '../../test/app/config.ts';
import { serveApp } from '../../test/app/serve-app.ts';
import type { AppDeps } from '../deps.ts';

it('a user who asks too often is told when to come back, and nobody else is', async () => {
  let now = 0;
  const verifyIdToken = async (token: string) => ({ uid: token, exp: 1_000 });
  const base = await serveApp({
    config: aConfig({ rateLimit: { perSecond: 1, burst: 3 } }),
    auth: { verifyIdToken } as unknown as AppDeps['auth'],
    now: () => now,
  });
  const statusFor = async (uid: string) => {
    const response = await fetch(`${base}/billing/portal`, {
      method: 'POST',
      headers: { authorization: `Bearer ${uid}`, 'content-type': 'application/json' },
      body: '{"unexpected":1}',
    });
    return [response.status, response.headers.get('retry-after')];
  };

  for (let i = 0; i < 3; i += 1) expect(await statusFor('eager')).toEqual([400, null]);
  expect(await statusFor('eager')).toEqual([429, '1']);
  expect(await statusFor('calm')).toEqual([400, null]);
  now = 1_000;
  expect(await statusFor('eager')).toEqual([400, null]);
  expect(await statusFor('eager')).toEqual([429, '1']);
});
