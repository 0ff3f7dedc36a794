import type { Millis } from '../contract/customer.ts';

/** How fresh a sign-in must be to delete an account: as Firebase's own `deleteUser` asks for. */
export const RECENT: Millis = 5 * 60_000;

/**
 * Whether a user must sign in again before their account is deleted, so that a token that was taken cannot do it.
 * A guest has nothing to sign in with.
 */
export function needsFreshSignIn(
  signIn: { readonly at: Millis; readonly isAnonymous: boolean },
  now: Millis,
): boolean {
  return !signIn.isAnonymous && !(now - signIn.at <= RECENT);
}
