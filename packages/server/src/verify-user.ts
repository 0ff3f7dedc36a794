import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify, UnsecuredJWT } from 'jose';
import { BillingError } from './billing-error.ts';

// Firebase ID tokens without the Admin SDK: by the rules of
// https://firebase.google.com/docs/auth/admin/verify-id-tokens, "Verify ID tokens using a third-party JWT library".

const KEYS = 'https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com';
const ISSUER = 'https://securetoken.google.com/';
const MAX_UID_LENGTH = 128;

export interface VerifyOptions {
  /** The Firebase project that the tokens are of. */
  readonly projectId: string;
  /** Takes the unsigned tokens of the auth emulator: anybody can make one. */
  readonly isEmulated: boolean;
  readonly fetch: typeof globalThis.fetch;
}

/** @returns the uid of a valid token; null of any other. It throws where that cannot be found out. */
export function verifierOf({ projectId, isEmulated, fetch }: VerifyOptions) {
  const keys = createRemoteJWKSet(new URL(KEYS), { [customFetch]: fetch });
  const rules = { issuer: `${ISSUER}${projectId}`, audience: projectId };

  return async (idToken: string): Promise<string | null> => {
    try {
      if (isEmulated) return uidOf(UnsecuredJWT.decode(idToken, rules).payload);
      const algorithms = ['RS256'];
      const requiredClaims = ['exp', 'iat', 'sub', 'auth_time'];
      return uidOf((await jwtVerify(idToken, keys, { ...rules, algorithms, requiredClaims })).payload);
    } catch (cause) {
      if (isRefusal(cause)) return null;
      throw new BillingError(
        'unreachable',
        "The ID token could not be checked: Google's public keys were not read. Try again shortly.",
        { cause },
      );
    }
  };
}

function uidOf({ sub, auth_time: signedInAt }: JWTPayload): string | null {
  const isUid = typeof sub === 'string' && sub !== '' && sub.length <= MAX_UID_LENGTH && !sub.includes('/');
  // A second of difference between two clocks is nobody's fault.
  const isPast = typeof signedInAt === 'number' && signedInAt <= Date.now() / 1000 + 60;
  return isUid && isPast ? sub : null;
}

/** "This token is no good", as opposed to "I could not check it". */
function isRefusal(error: unknown): boolean {
  return error instanceof errors.JOSEError && !NOT_CHECKED.has(error.code);
}

const NOT_CHECKED: ReadonlySet<string> = new Set([
  errors.JOSEError.code,
  errors.JWKSTimeout.code,
  errors.JWKSInvalid.code,
]);
