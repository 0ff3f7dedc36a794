import * as v from 'valibot';
import { IdempotencyKey, ReserveRequest } from './api.ts';
import type { LookupKey } from './catalog.ts';
import { optional } from './schema.ts';

/** A name in the catalogue, as long as the service takes one. */
const Name = v.pipe(v.string(), v.minLength(1), v.maxLength(200));
/** Any name: what is sold is the server's to say, and it may sell more than this build knows. */
const AnyLookupKey = v.pipe(
  Name,
  v.transform((name) => name as LookupKey),
);
const offer = v.pipe(
  // The service's own name of the field is taken as well.
  v.object({ lookupKey: optional(v.unknown()), lookup_key: optional(v.unknown()) }),
  v.transform(({ lookupKey, lookup_key }) => ({ lookupKey: lookupKey ?? lookup_key })),
  v.object({ lookupKey: AnyLookupKey }),
);
/** A key that is not one is refused: taken for missing, each retry would get a key of its own, and be charged. */
const RequestId = v.optional(IdempotencyKey);
const Currency = optional(v.string());
const nothing = v.object({});
const settle = v.object({ reservation: IdempotencyKey });
const credentials = v.object({ email: v.string(), password: v.string() });
/** True only where it is said: another value says nothing. */
const Yes = optional(v.boolean());

/**
 * What each message of the extension's pages to its background worker must hold. Fields that a message does not have are
 * not read, so that pages may be newer than the worker.
 */
export const MESSAGE_REQUESTS = {
  billingHello: v.object({ free: Yes }),
  billingChange: offer,
  billingCheckout: v.pipe(
    // The service's own name of the field is taken as well.
    v.object({ lookupKey: optional(v.unknown()), lookup_key: optional(v.unknown()), currency: Currency }),
    v.transform(({ lookupKey, lookup_key, currency }) => ({ lookupKey: lookupKey ?? lookup_key, currency })),
    v.object({ lookupKey: AnyLookupKey, currency: Currency }),
  ),
  billingPrices: v.object({ currency: Currency }),
  billingPortal: nothing,
  creditsConsume: v.object({ feature: Name, requestId: RequestId }),
  creditsReserve: v.object({
    feature: Name,
    expiresInSeconds: v.optional(ReserveRequest.entries.expiresInSeconds.wrapped),
    requestId: RequestId,
  }),
  creditsConfirm: settle,
  creditsRelease: settle,
  creditsUsage: v.object({ from: v.string(), to: v.string(), cursor: optional(v.string()) }),
  authSignIn: v.object({ ...credentials.entries, leaveGuest: Yes }),
  authSignUp: credentials,
  authSignInWithGoogle: v.object({ leaveGuest: Yes }),
  authSignInAsGuest: nothing,
  authSendLink: v.object({ email: v.string(), leaveGuest: Yes }),
  authUseLink: v.object({ link: v.pipe(v.string(), v.maxLength(4_000)) }),
  authResetPassword: v.object({ email: v.string() }),
  accountDelete: v.object({ password: optional(v.string()) }),
  authSignOut: v.object({ discard: Yes }),
} as const;
