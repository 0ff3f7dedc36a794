import type { Millis } from '@extension-billing/contract/customer';
import type { AccountState } from '../http/check-session.ts';

/** How fresh a sign-in must be to delete an account: as Firebase's own `deleteUser` asks for. */
export const RECENT: Millis = 5 * 60_000;

/**
 * Whether a user must sign in again before their account is deleted, so that a token that was taken cannot do it.
 *
 * A guest has nothing to sign in with. Whether somebody is one, the account says, not the token: a session from before
 * a guest added a sign-in keeps on yielding a guest's tokens, and proves nothing about the account that there is now
 * (docs/decisions/0130-former-guests.md).
 */
export function needsFreshSignIn(
  signIn: { readonly at: Millis; readonly isAnonymous: boolean },
  account: AccountState,
  now: Millis,
): boolean {
  if (signIn.isAnonymous) return account === 'with_sign_in';
  return !(now - signIn.at <= RECENT);
}
