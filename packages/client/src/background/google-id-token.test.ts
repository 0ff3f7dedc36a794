import { expect, it } from 'vitest';
import { authorizeUrl, GOOGLE_AUTHORIZE_URL, idTokenIn, redirectOf } from './google-id-token.ts';

const REDIRECT = 'https://abc.chromiumapp.org/';
function idTokenWith(claims: object): string {
  return `header.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.signature`;
}

it('asks Google for an ID token bound to this request', () => {
  const query = new URL(
    authorizeUrl({ clientId: 'client-1', authorizeUrl: GOOGLE_AUTHORIZE_URL }, REDIRECT, 'nonce-1'),
  ).searchParams;
  expect(Object.fromEntries(query)).toMatchObject({
    client_id: 'client-1',
    response_type: 'id_token',
    redirect_uri: REDIRECT,
    nonce: 'nonce-1',
  });
});

it('takes the ID token that carries the nonce', () => {
  const idToken = idTokenWith({ nonce: 'nonce-1', name: 'Zoë 🙂?>' });
  expect(idTokenIn(`${REDIRECT}#id_token=${idToken}`, 'nonce-1')).toEqual({ ok: true, idToken });
});

it.each([
  ['of another request', `#id_token=${idTokenWith({ nonce: 'other' })}`],
  ['without a nonce', `#id_token=${idTokenWith({})}`],
  ['that is none', '#id_token=garbage'],
  ['that is missing', '#'],
])('refuses a token %s', (_which, fragment) => {
  expect(idTokenIn(`${REDIRECT}${fragment}`, 'nonce-1')).toEqual({ ok: false, reason: 'unavailable' });
});

it('tells a user who changed their mind from a failure', () => {
  expect(idTokenIn(`${REDIRECT}#error=access_denied`, 'n')).toEqual({ ok: false, reason: 'cancelled' });
  expect(idTokenIn(undefined, 'n')).toEqual({ ok: false, reason: 'cancelled' });
});

it('comes back to the loopback address of Firefox, whose own domain nobody can prove to Google to be theirs', () => {
  const label = '35bed8a2ba0b0ff9bdc36a4b9db34a01b0f0f1d2';
  expect(redirectOf(`https://${label}.extensions.allizom.org/`)).toBe(`http://127.0.0.1/mozoauth2/${label}`);
  expect(redirectOf(REDIRECT)).toBe(REDIRECT);
});
