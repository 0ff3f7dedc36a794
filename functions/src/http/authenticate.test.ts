import type { Request, Response } from 'express';
import { describe, expect, it } from 'vitest';
import { serveApp } from '../../test/app/serve-app.ts';
import type { AppDeps } from '../deps.ts';
import { requireUser } from './authenticate.ts';

/** The service as firebase-admin answers it; `/billing/portal` with a field in its body shows who passed. */
async function asked(verify: (token: string) => unknown, now: () => number = () => 0) {
  let checks = 0;
  const auth = {
    verifyIdToken: async (token: string) => {
      checks += 1;
      return verify(token);
    },
  } as unknown as AppDeps['auth'];
  const base = await serveApp({ auth, now });
  const ask = (authorization?: string) =>
    fetch(`${base}/billing/portal`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) },
      body: '{"unexpected":1}',
    });
  return { ask, checks: () => checks };
}

/** Past the door, the body's unknown field is refused. */
const PASSED = 400;

function authError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

const user = (expSeconds: number) => () => ({ uid: 'user-1', exp: expSeconds });

describe('the ID token', () => {
  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Basic dXNlcjpwdw==',
    'Bearer a b',
    `Bearer ${'x'.repeat(9_000)}`,
  ])('that is %j is not even checked', async (authorization) => {
    const { ask, checks } = await asked(user(1_000));
    const response = await ask(authorization);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await response.json()).toMatchObject({ code: 'unauthenticated' });
    expect(checks()).toBe(0);
  });

  it.each([
    ['auth/id-token-expired', 'Firebase ID token has expired.'],
    ['auth/argument-error', 'Firebase ID token has incorrect "aud" (audience) claim.'],
    ['auth/argument-error', 'Decoding Firebase ID token failed.'],
    ['auth/user-disabled', 'The user record is disabled.'],
    ['auth/user-not-found', 'There is no user record.'],
  ])('that is refused with %s (%s) is a 401', async (code, message) => {
    const { ask } = await asked(() => {
      throw authError(code, message);
    });
    expect((await ask('Bearer some.id.token')).status).toBe(401);
  });

  it.each([
    ['auth/argument-error', 'Error fetching public keys for Google certs: 503'],
    ['auth/argument-error', 'Error while making request: getaddrinfo ENOTFOUND'],
    ['app/network-error', 'connect ECONNREFUSED'],
  ])('that could not be checked (%s: %s) is a 503, not the user’s fault', async (code, message) => {
    const { ask } = await asked(() => {
      throw authError(code, message);
    });
    const response = await ask('Bearer some.id.token');
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.json()).toMatchObject({ code: 'temporarily_unavailable' });
  });

  it('of a user whose id cannot be a document id is refused', async () => {
    const { ask } = await asked(() => ({ uid: 'a/b', exp: 1_000 }));
    expect((await ask('Bearer some.id.token')).status).toBe(401);
  });

  it('is checked once, and again by its own expiry', async () => {
    let now = 0;
    const { ask, checks } = await asked(user(1_000), () => now);
    expect((await ask('Bearer some.id.token')).status).toBe(PASSED);
    now = 999_999;
    expect((await ask('Bearer some.id.token')).status).toBe(PASSED);
    expect(checks()).toBe(1);
    now = 1_000_000;
    expect((await ask('Bearer some.id.token')).status).toBe(401);
    expect(checks()).toBe(2);
  });

  it('is never taken for another one', async () => {
    const { ask, checks } = await asked((token) => {
      if (token === 'good.id.token') return { uid: 'user-1', exp: 1_000 };
      throw authError('auth/argument-error', 'Firebase ID token has invalid signature.');
    });
    expect((await ask('Bearer good.id.token')).status).toBe(PASSED);
    expect((await ask('Bearer good.id.tokeN')).status).toBe(401);
    expect(checks()).toBe(2);
  });

  it('is remembered with 9,999 others, and the oldest is forgotten for a new one', async () => {
    let checks = 0;
    const verifyIdToken = async () => {
      checks += 1;
      return { uid: 'user-1', exp: 1_000 };
    };
    const door = requireUser({ auth: { verifyIdToken } as unknown as AppDeps['auth'], now: () => 0 });
    const pass = (token: string) =>
      new Promise((resolve) => {
        const req = { headers: { authorization: `Bearer ${token}` } } as Request;
        void door(req, { locals: {} } as Response, resolve);
      });
    const checksFor = async (token: string) => {
      const before = checks;
      await pass(token);
      return checks - before;
    };
    for (let n = 0; n < 10_000; n += 1) await pass(`token-${n}`);
    expect(checks).toBe(10_000);
    expect([await checksFor('token-0'), await checksFor('token-9999')]).toEqual([0, 0]);
    await pass('one-more');
    expect([await checksFor('token-9999'), await checksFor('token-0')]).toEqual([0, 1]);
  });
});
