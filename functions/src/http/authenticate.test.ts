import type { Request, Response } from 'express';
import { describe, expect, it } from 'vitest';
import { keptLog, serveApp, untouched } from '../../test/app/serve-app.ts';
import type { AppDeps } from '../deps.ts';
import { requireCaller } from './authenticate.ts';

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
    const auth = { verifyIdToken } as unknown as AppDeps['auth'];
    const noServices = () => Promise.reject(new Error('no service is asked for'));
    const door = requireCaller({ auth, now: () => 0 }, noServices)(['user']);
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

const NOW = Date.UTC(2026, 10, 21, 12);
const SIGNED_IN_AT = NOW / 1000 - 60;

/** The answer to a token that is valid by itself, while the accounts service says something of its user. */
async function ask(path: string, getUser: () => object, sign_in_provider = 'password') {
  const firebase = { sign_in_provider };
  const verifyIdToken = async () => ({ uid: 'ada', exp: NOW, auth_time: SIGNED_IN_AT, firebase });
  const user = async () => ({ providerData: [{ providerId: 'password' }], ...getUser() });
  const auth = { verifyIdToken, getUser: user } as unknown as AppDeps['auth'];
  const log = keptLog();
  const base = await serveApp({ auth, log, now: () => NOW, firestore: untouched('firestore') });
  const response = await fetch(base + path, {
    method: 'POST',
    headers: { authorization: 'Bearer some.id.token', 'content-type': 'application/json' },
    body: '{}',
  });
  const { code } = (await response.json()) as { readonly code: string };
  return { status: response.status, code, lines: log.lines };
}
const at = (seconds: number) => new Date(seconds * 1000).toUTCString();
const missing = () => {
  throw Object.assign(new Error('no such user'), { code: 'auth/user-not-found' });
};
/** It went on to the database, which these tests do not have. */
const LET_THROUGH = { status: 500, code: 'internal' };

const ENDED: [string, () => object][] = [
  ['signed out everywhere since', () => ({ tokensValidAfterTime: at(SIGNED_IN_AT + 1) })],
  ['is disabled', () => ({ disabled: true })],
];

it.each([...ENDED, ['is no more', missing]] as [string, () => object][])(
  'no portal opens with the token of a user who %s',
  async (_who, getUser) => {
    const { status, code } = await ask('/billing/portal', getUser);
    expect([status, code]).toEqual([401, 'unauthenticated']);
  },
);

it.each(ENDED)('no account is deleted with the token of a user who %s', async (_who, getUser) => {
  const { status, code } = await ask('/account/delete', getUser);
  expect([status, code]).toEqual([401, 'unauthenticated']);
});

it.each(['/billing/portal', '/account/delete'])('%s goes on for a session that stands', async (path) => {
  expect(await ask(path, () => ({ tokensValidAfterTime: at(SIGNED_IN_AT) }))).toMatchObject(LET_THROUGH);
  expect(await ask(path, () => ({}))).toMatchObject(LET_THROUGH);
});

it('a deletion that is repeated goes on, though the user is no more', async () => {
  expect(await ask('/account/delete', missing)).toMatchObject(LET_THROUGH);
});

it('an account that a guest has added a sign-in to is not deleted by the session from before', async () => {
  const { status, code } = await ask('/account/delete', () => ({}), 'anonymous');
  expect([status, code]).toEqual([403, 'recent_sign_in_required']);
});

it('a guest is deleted without any sign-in', async () => {
  expect(await ask('/account/delete', () => ({ providerData: [] }), 'anonymous')).toMatchObject(LET_THROUGH);
});

it('where the accounts service does not say, the answer is to try again', async () => {
  const { status, lines } = await ask('/billing/portal', () => {
    throw Object.assign(new Error('ada is unreachable'), { code: 'app/network-error' });
  });
  expect(status).toBe(503);
  expect(JSON.stringify(lines)).not.toContain('ada');
});
