import { createHmac, KeyObject, sign } from 'node:crypto';
import { errors, exportSPKI } from 'jose';
import { expect, it } from 'vitest';
import { aConfig } from '../../test/app/config.ts';
import { ACCOUNT, AUDIENCE, accountToken, googleKeys, pairOfGoogle } from '../../test/app/google-account.ts';
import { keptLog, serveApp } from '../../test/app/serve-app.ts';
import type { AppDeps } from '../deps.ts';
import { Unavailable } from '../http/answer.ts';
import { Unauthenticated } from '../http/authenticate.ts';
import { findAccounts } from './accounts.ts';

const NOW = Date.UTC(2026, 10, 22, 12);
const seconds = NOW / 1_000;

function aFinder(keys: NonNullable<AppDeps['googleKeys']> = googleKeys, audience: string | null = AUDIENCE) {
  const clock = { now: NOW };
  const serviceAccounts = new Map([[ACCOUNT, ['consume', 'hold'] as const]]);
  const config = aConfig({ serviceAccounts, serviceAudience: audience });
  let checks = 0;
  const counted: typeof keys = (...args) => {
    checks += 1;
    return keys(...args);
  };
  return {
    clock,
    find: findAccounts({ config, now: () => clock.now, googleKeys: counted }),
    checks: () => checks,
  };
}

it('a service account that is listed is known by its ID token', async () => {
  const { find } = aFinder();
  const service = { id: `account:${ACCOUNT}`, scopes: ['consume', 'hold'] };
  expect(await find(await accountToken({}, { now: NOW }))).toEqual(service);
  expect(await find(await accountToken({ iss: 'accounts.google.com' }, { now: NOW }))).toEqual(service);
  expect(await find(await accountToken({ email: ACCOUNT.toUpperCase() }, { now: NOW }))).toEqual(service);
});

it.each([
  ['was signed by another key', {}, { forged: true }],
  ['names a key that Google does not have', {}, { kid: 'key-2' }],
  ['is for another audience', { aud: 'https://us-central1-other.cloudfunctions.net/api' }, {}],
  [
    'is for several audiences, none of them this one',
    { aud: ['https://a.example', 'https://b.example'] },
    {},
  ],
  ['has expired', { iat: seconds - 3_700, exp: seconds - 11 }, {}],
  ['never expires', { exp: undefined }, {}],
  ['does not count yet', { nbf: seconds + 60 }, {}],
  ['is of another service account', { email: `x${ACCOUNT}` }, {}],
  ['is of a person', { email: 'ada@example.com' }, {}],
  ['names no address', { email: undefined }, {}],
  ['names several addresses', { email: [ACCOUNT] }, {}],
  ['has an address that nobody has verified', { email_verified: false }, {}],
  ['has an address that is "true"', { email_verified: 'true' }, {}],
  ['says nothing of its address', { email_verified: undefined }, {}],
])('a token of Google’s that %s is refused', async (_what, claims, how) => {
  const { find } = aFinder();
  await expect(find(await accountToken(claims, { now: NOW, ...how }))).rejects.toBeInstanceOf(
    Unauthenticated,
  );
});

it('a token without a signature, with one of the public key, or by another algorithm is refused', async () => {
  const { find } = aFinder();
  const [, claims = ''] = (await accountToken({}, { now: NOW })).split('.');
  const header = (alg: string) => Buffer.from(JSON.stringify({ alg, kid: 'key-1' })).toString('base64url');
  await expect(find(`${header('none')}.${claims}.`)).rejects.toBeInstanceOf(Unauthenticated);
  const secret = await exportSPKI(pairOfGoogle.publicKey);
  const content = `${header('HS256')}.${claims}`;
  const signature = createHmac('sha256', secret).update(content).digest('base64url');
  await expect(find(`${content}.${signature}`)).rejects.toBeInstanceOf(Unauthenticated);
  const other = `${header('RS512')}.${claims}`;
  const signed = sign('RSA-SHA512', Buffer.from(other), KeyObject.from(pairOfGoogle.privateKey));
  await expect(find(`${other}.${signed.toString('base64url')}`)).rejects.toBeInstanceOf(Unauthenticated);
});

it.each(['https://accounts.google.com.example.com', 'https://securetoken.google.com/my-shop-1', 'Google'])(
  'a token that %s issued is none of Google’s, and left to others',
  async (iss) => {
    const { find } = aFinder();
    expect(await find(await accountToken({ iss }, { now: NOW }))).toBeNull();
  },
);

it('without an audience no token is taken', async () => {
  const { find } = aFinder(googleKeys, null);
  await expect(find(await accountToken({}, { now: NOW }))).rejects.toBeInstanceOf(Unauthenticated);
});

it('a token is checked once, and not taken beyond its end', async () => {
  const { find, clock, checks } = aFinder();
  const token = await accountToken({}, { now: NOW });
  await find(token);
  clock.now += 3_599_000;
  await find(token);
  expect(checks()).toBe(1);
  clock.now += 20_000;
  await expect(find(token)).rejects.toBeInstanceOf(Unauthenticated);
});

it.each([
  ['do not come', new TypeError('fetch failed')],
  ['do not come in time', new errors.JWKSTimeout()],
  ['come as something else', new errors.JWKSInvalid()],
  ['come as a page', new errors.JOSEError('Expected 200 OK from the JSON Web Key Set HTTP response')],
])('while Google’s keys %s, nothing is said of the token', async (_what, failure) => {
  const { find } = aFinder(() => Promise.reject(failure));
  await expect(find(await accountToken({}, { now: NOW }))).rejects.toBeInstanceOf(Unavailable);
});

it('a user whose address is a service account’s is a user', async () => {
  const verifyIdToken = async () => ({
    uid: 'ada',
    exp: 32_503_680_000,
    email: ACCOUNT,
    email_verified: true,
    firebase: {},
  });
  const log = keptLog();
  const config = aConfig({ serviceAccounts: new Map([[ACCOUNT, ['read']]]), serviceAudience: AUDIENCE });
  const auth = { verifyIdToken } as unknown as AppDeps['auth'];
  const base = await serveApp({ auth, config, googleKeys, log });
  const token = await accountToken({ iss: 'https://securetoken.google.com/my-shop-1' });
  const headers = { authorization: `Bearer ${token}`, 'billing-user': 'eve' };
  const response = await fetch(`${base}/credits/balance`, { headers });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: 'invalid_request' });
});
