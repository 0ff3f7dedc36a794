import { describe, expect, it } from 'vitest';
import { auth, signUp } from './app/emulated-user.ts';
import { post, servers } from './app/suite.ts';

const PROJECT = process.env.GCLOUD_PROJECT ?? 'demo-extension-billing';
const url = `${servers['direct server']}/billing/portal`;

const ask = (token: string) => post(url, '{}', { authorization: `Bearer ${token}` });

/** A token as the auth emulator makes them (unsigned), with claims of the test's choice. */
function unsigned(uid: string, claims: Readonly<Record<string, unknown>> = {}): string {
  const now = Math.floor(Date.now() / 1000);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const standard = {
    iss: `https://securetoken.google.com/${PROJECT}`,
    aud: PROJECT,
    sub: uid,
    user_id: uid,
    auth_time: now,
    iat: now - 60,
    exp: now + 3_600,
  };
  return `${part({ alg: 'none', typ: 'JWT' })}.${part({ ...standard, ...claims })}.`;
}

describe('an ID token', () => {
  it('of a signed-in user is taken', async () => {
    const { uid, idToken } = await signUp();
    expect(await ask(idToken)).toMatchObject({ status: 409, body: { code: 'no_customer' } });
    expect(await ask(unsigned(uid))).toMatchObject({ status: 409, body: { code: 'no_customer' } });
  });

  it.each([
    ['expired', { exp: Math.floor(Date.now() / 1000) - 10, iat: Math.floor(Date.now() / 1000) - 3_610 }],
    ['for another project', { aud: 'foreign', iss: 'https://securetoken.google.com/foreign' }],
    ['by another issuer', { iss: 'https://securetoken.google.com/foreign' }],
    ['without a user', { sub: '', user_id: '' }],
    ['of a user whose id cannot be one', { sub: 'x'.repeat(129) }],
  ])('that is %s is refused', async (_what, claims) => {
    const { uid } = await signUp();
    const { status, headers, body } = await ask(unsigned(uid, claims));
    expect([status, body.code]).toEqual([401, 'unauthenticated']);
    expect(headers.get('www-authenticate')).toBe('Bearer');
  });

  it.each(['garbage', 'a.b.c', 'e30.e30.e30', `${'A'.repeat(4_000)}.e30.e30`])(
    'that is %s is refused',
    async (token) => {
      expect(await ask(token)).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    },
  );

  it('of a user who no longer exists is refused', async () => {
    const { uid, idToken } = await signUp();
    await auth.deleteUser(uid);
    expect(await ask(idToken)).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
  });

  it('is asked for by every route of a user', async () => {
    const base = servers['direct server'];
    const asked = await Promise.all([
      fetch(`${base}/billing/checkout`, { method: 'POST' }),
      fetch(`${base}/billing/portal`, { method: 'POST' }),
      fetch(`${base}/credits/consume`, { method: 'POST' }),
      fetch(`${base}/credits/reserve`, { method: 'POST' }),
      fetch(`${base}/credits/confirm`, { method: 'POST' }),
      fetch(`${base}/credits/release`, { method: 'POST' }),
      fetch(`${base}/account/delete`, { method: 'POST' }),
      fetch(`${base}/credits/balance`),
      fetch(`${base}/credits/usage`),
    ]);
    expect(asked.map(({ status }) => status)).toEqual(asked.map(() => 401));
  });
});
