import type { LookupKey } from '@extension-billing/contract/catalog';
import type { BillingMessages, BillingMessageType } from '../messages.ts';

type Fields = Readonly<Record<string, unknown>>;
type Parsers = { [T in BillingMessageType]: (fields: Fields) => BillingMessages[T]['request'] | null };

/** What each message must hold; null: it does not. */
const PARSERS: Parsers = {
  billingHello: () => ({}),
  billingCheckout: (fields) => {
    // The service's own word is taken as well.
    const lookupKey = fields.lookupKey ?? fields.lookup_key;
    return isLookupKey(lookupKey) ? { lookupKey } : null;
  },
  billingPortal: () => ({}),
  creditsConsume: ({ feature, requestId }) => {
    if (!isName(feature)) return null;
    return isKey(requestId) ? { feature, requestId } : { feature };
  },
  creditsReserve: ({ feature, expiresInSeconds, requestId }) => {
    if (!isName(feature)) return null;
    if (expiresInSeconds !== undefined && !isLifetime(expiresInSeconds)) return null;
    return {
      feature,
      ...(expiresInSeconds === undefined ? {} : { expiresInSeconds }),
      ...(isKey(requestId) ? { requestId } : {}),
    };
  },
  creditsConfirm: parseReservation,
  creditsRelease: parseReservation,
  creditsUsage: ({ from, to, cursor }) => {
    if (typeof from !== 'string' || typeof to !== 'string') return null;
    return typeof cursor === 'string' ? { from, to, cursor } : { from, to };
  },
  authSignIn: (fields) => {
    const credentials = parseCredentials(fields);
    return credentials && { ...credentials, leaveGuest: fields.leaveGuest === true };
  },
  authSignUp: parseCredentials,
  authSignInWithGoogle: ({ leaveGuest }) => ({ leaveGuest: leaveGuest === true }),
  authSignInAsGuest: () => ({}),
  authResetPassword: ({ email }) => (typeof email === 'string' ? { email } : null),
  accountDelete: ({ password }) => (typeof password === 'string' ? { password } : {}),
  authSignOut: ({ discard }) => ({ discard: discard === true }),
};

function parseReservation({ reservation }: Fields): { reservation: string } | null {
  return isKey(reservation) ? { reservation } : null;
}

/** Seconds for which the service holds credits: a day at most. */
function isLifetime(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 86_400;
}

/** What the service takes as an idempotency key. */
function isKey(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{1,128}$/.test(value);
}

function parseCredentials({ email, password }: Fields): { email: string; password: string } | null {
  return typeof email === 'string' && typeof password === 'string' ? { email, password } : null;
}

/** Any name: what is sold is the server's to say, and it may sell more than this build knows. */
function isLookupKey(value: unknown): value is LookupKey {
  return isName(value);
}

/** A name in the pricing file, as long as the service takes one. */
function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length >= 1 && value.length <= 200;
}

export function isBillingMessageType(type: unknown): type is BillingMessageType {
  return typeof type === 'string' && Object.hasOwn(PARSERS, type);
}

export function parseRequest<T extends BillingMessageType>(
  type: T,
  fields: Fields,
): BillingMessages[T]['request'] | null {
  return PARSERS[type](fields);
}
