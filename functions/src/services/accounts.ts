import { createHash } from 'node:crypto';
import type { Millis } from '@extension-billing/contract/customer';
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { AppDeps } from '../deps.ts';
import { Unavailable } from '../http/answer.ts';
import { GOOGLE_ISSUERS, isGoogles, type Service, Unauthenticated } from '../http/authenticate.ts';

// Google service accounts by their ID tokens: a backend on Google Cloud needs no secret of its own.

/** Google's keys for ID tokens (https://accounts.google.com/.well-known/openid-configuration, `jwks_uri`). */
const GOOGLE_KEYS = new URL('https://www.googleapis.com/oauth2/v3/certs');
/** How long a caller waits for them. */
export const KEYS_WITHIN_MS: Millis = 5_000;
/** Clocks differ. */
const TOLERANCE_SECONDS = 10;
/** Checked tokens remembered per instance, by their SHA-256; the oldest goes first. */
const REMEMBERED_TOKENS = 1_000;

interface Checked {
  readonly service: Service;
  readonly expiresAt: Millis;
}

/**
 * Knows the service accounts that are configured by their ID tokens: signed by Google, for this function
 * (`serviceAudience`), not expired, of a verified address that is listed.
 *
 * The answer throws Unauthenticated for any other token that claims to be Google's, Unavailable where Google's keys
 * cannot be had.
 */
export function findAccounts(
  deps: Pick<AppDeps, 'config' | 'now' | 'googleKeys'>,
): (token: string) => Promise<Service | null> {
  const { serviceAccounts, serviceAudience } = deps.config;
  // It asks Google when a key is first needed, every ten minutes, and for a key that it does not know twice a minute.
  const keys = deps.googleKeys ?? createRemoteJWKSet(GOOGLE_KEYS, { timeoutDuration: KEYS_WITHIN_MS });
  const remembered = new Map<string, Checked>();
  return async (token) => {
    if (!isGoogles(token)) return null;
    const fingerprint = createHash('sha256').update(token).digest('base64');
    const known = remembered.get(fingerprint);
    if (known !== undefined && deps.now() < known.expiresAt) return known.service;
    remembered.delete(fingerprint);
    if (serviceAudience === null) throw notListed();
    const { email, email_verified: isVerified, exp } = await verify(token, keys, serviceAudience, deps.now());
    const address = typeof email === 'string' ? email.toLowerCase() : '';
    const scopes = serviceAccounts.get(address);
    if (scopes === undefined || isVerified !== true || exp === undefined) throw notListed();
    const service: Service = { id: `account:${address}`, scopes };
    remembered.set(fingerprint, { service, expiresAt: exp * 1_000 });
    const [oldest] = remembered.keys();
    if (remembered.size > REMEMBERED_TOKENS && oldest !== undefined) remembered.delete(oldest);
    return service;
  };
}

async function verify(
  token: string,
  keys: JWTVerifyGetKey,
  audience: string,
  now: Millis,
): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, keys, {
      algorithms: ['RS256'],
      issuer: [...GOOGLE_ISSUERS],
      audience,
      requiredClaims: ['exp', 'iat', 'sub', 'email'],
      clockTolerance: TOLERANCE_SECONDS,
      currentDate: new Date(now),
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError && !isOutage(error)) {
      throw new Unauthenticated(
        'The ID token is not valid: expired, not signed by Google, or for another audience than BILLING_SERVICE_AUDIENCE.',
      );
    }
    throw new Unavailable(
      'ID tokens of service accounts cannot be checked at the moment; try again shortly.',
      1,
      error,
    );
  }
}

/** Google's keys did not come, or came as something else: nothing is said about the token. */
function isOutage(error: InstanceType<typeof errors.JOSEError>): boolean {
  return (
    error instanceof errors.JWKSTimeout ||
    error instanceof errors.JWKSInvalid ||
    error.code === 'ERR_JOSE_GENERIC'
  );
}

const notListed = () =>
  new Unauthenticated('This service account is not listed in BILLING_SERVICE_ACCOUNTS of the function.');
