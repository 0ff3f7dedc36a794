import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT } from 'jose';

export const ACCOUNT = 'worker@my-shop-1.iam.gserviceaccount.com';
export const AUDIENCE = 'https://us-central1-my-shop-1.cloudfunctions.net/api';

const pair = await generateKeyPair('RS256', { extractable: true });
const other = await generateKeyPair('RS256', { extractable: true });

/** Keys as Google publishes them, those of these tests. */
export const googleKeys = createLocalJWKSet({
  keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'key-1' }],
});
export const pairOfGoogle = pair;

/** An ID token of a service account as Google signs them, with claims of the test's choice. */
export function accountToken(
  claims: Readonly<Record<string, unknown>> = {},
  { now = Date.now(), kid = 'key-1', forged = false } = {},
): Promise<string> {
  const seconds = Math.floor(now / 1_000);
  const usual = {
    iss: 'https://accounts.google.com',
    aud: AUDIENCE,
    azp: '1',
    sub: '1',
    email: ACCOUNT,
    email_verified: true,
    iat: seconds,
    exp: seconds + 3_600,
  };
  return new SignJWT({ ...usual, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT' })
    .sign(forged ? other.privateKey : pair.privateKey);
}
