import fc from 'fast-check';
import { oddText } from '../../../functions/test/fuzz/odd-values.ts';
import type { BillingMessageType } from '../src/messages.ts';

/** Every message of the contract; the record fails to type-check when one is missing. */
const MESSAGES: Readonly<Record<BillingMessageType, true>> = {
  billingHello: true,
  billingCheckout: true,
  billingPortal: true,
  creditsConsume: true,
  creditsReserve: true,
  creditsConfirm: true,
  creditsRelease: true,
  creditsUsage: true,
  authSignIn: true,
  authSignUp: true,
  authSignInWithGoogle: true,
  authSignInAsGuest: true,
  authResetPassword: true,
  accountDelete: true,
  authSignOut: true,
};
export const BILLING_MESSAGES = Object.keys(MESSAGES) as BillingMessageType[];

/** Anything that JSON can carry, and a little that it cannot; odd texts and numbers more often than by chance. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  oddText,
  fc.constantFrom<unknown>(null, undefined, true, 0, -1, 0.5, 1e308, Number.NaN, 2 ** 53, [], {}),
  fc.double(),
  fc.anything({ key: oddText, maxDepth: 1, maxKeys: 3 }),
  fc.constant(JSON.parse('{"__proto__":{"polluted":true},"toString":null,"valueOf":null}')),
);
