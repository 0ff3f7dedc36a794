import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { expect, it } from 'vitest';
import { fakeService } from '../test/fake-service.ts';
import { createBilling } from './exports/http.ts';

const PROJECT = 'a-project';
const googles = await generateKeyPair('RS256', { extractable: true });
const others = await generateKeyPair('RS256');
const now = () => Math.floor(Date.now() / 1000);

const rightClaims = () => ({
  ...{ sub: 'ada', aud: PROJECT, iss: `https://securetoken.google.com/${PROJECT}` },
  ...{ iat: now() - 10, exp: now() + 3600, auth_time: now() - 10 },
});
type Claims = Partial<ReturnType<typeof rightClaims>>;

const tokenOf = (claims: Claims = {}, key = googles.privateKey, kid = 'google-1') =>
  new SignJWT({ ...rightClaims(), ...claims }).setProtectedHeader({ alg: 'RS256', kid }).sign(key);

/** As Google serves its public keys, and a count of how often. */
async function verifying() {
  const keys = {
    keys: [{ ...(await exportJWK(googles.publicKey)), kid: 'google-1', alg: 'RS256', use: 'sig' }],
  };
  const { asked, billing } = fakeService(Response.json(keys));
  const { verifyUser } = billing({ projectId: PROJECT });
  return { asked, verifyUser };
}

it('answers whose token it is, by the keys of Google, which are read once', async () => {
  const { asked, verifyUser } = await verifying();
  expect(await verifyUser(await tokenOf())).toBe('ada');
  expect(await verifyUser(await tokenOf({ sub: 'grace' }))).toBe('grace');
  expect(asked.map(({ url }) => url)).toEqual([
    'https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com',
  ]);
  expect(asked[0]?.headers.get('Authorization')).toBeNull();
});

it.each<[string, () => Promise<string> | string]>([
  ['of another project', () => tokenOf({ aud: 'another' })],
  ['of another issuer', () => tokenOf({ iss: 'https://securetoken.google.com/another' })],
  ['that has expired', () => tokenOf({ exp: now() - 1 })],
  ['of nobody', () => tokenOf({ sub: '' })],
  ['of a uid that cannot be one', () => tokenOf({ sub: 'a/b' })],
  ['signed in in the future', () => tokenOf({ auth_time: now() + 3600 })],
  ['that another key signed', () => tokenOf({}, others.privateKey)],
  ['of a key that Google does not have', () => tokenOf({}, googles.privateKey, 'google-2')],
  ['that nobody signed', () => new UnsecuredJWT(rightClaims()).encode()],
  ['that is none', () => 'no token'],
])('answers null to a token %s', async (_, token) => {
  const { verifyUser } = await verifying();
  expect(await verifyUser(await token())).toBeNull();
});

it('throws where the keys cannot be read: that is no word about the token', async () => {
  for (const scene of ['lost', new Response('no', { status: 500 })] as const) {
    const { verifyUser } = fakeService(scene).billing({ projectId: PROJECT });
    await expect(verifyUser(await tokenOf())).rejects.toMatchObject({ code: 'unreachable' });
  }
});

it('takes the unsigned tokens of the auth emulator only where that was said', async () => {
  const at = { url: 'http://127.0.0.1:5001/p/r/api', key: 'k', projectId: PROJECT, authEmulator: true };
  const { verifyUser } = createBilling(at);
  expect(await verifyUser(new UnsecuredJWT(rightClaims()).encode())).toBe('ada');
  expect(await verifyUser(new UnsecuredJWT({ ...rightClaims(), aud: 'another' }).encode())).toBeNull();
  expect(await verifyUser(await tokenOf())).toBeNull();
});

it('says what is missing where there is no project', async () => {
  const { verifyUser } = fakeService({}).billing();
  await expect(verifyUser(await tokenOf())).rejects.toMatchObject({
    code: 'not_configured',
    message: expect.stringContaining('projectId'),
  });
});
