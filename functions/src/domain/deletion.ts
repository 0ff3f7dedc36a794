import type { Millis } from '@extension-billing/contract/customer';

/** How fresh a sign-in must be to delete an account: as Firebase's own `deleteUser` asks for. */
export const RECENT: Millis = 5 * 60_000;

/** What the accounts service says of the user now: with nothing to sign in with, with something, or no more. */
export type AccountState = 'without_sign_in' | 'with_sign_in' | 'gone';

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
