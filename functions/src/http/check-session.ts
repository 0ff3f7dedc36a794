import type { Response } from 'express';
import type { AppDeps } from '../deps.ts';

import { Unavailable } from './answer.ts';
import { signInOf, Unauthenticated, userOf } from './authenticate.ts';

/**
 * Refuses a token whose sign-in was taken back, although the token itself is valid up to an hour longer: the user
 * signed out everywhere, changed the password or was disabled. One call to the accounts service, so only for the routes
 * that show or end what belongs to a user (docs/decisions/0074-sessions-that-were-taken-back.md).
 *
 * @param ifGone what a user who is no more means: somebody's old token, or the rest of a deletion that began
 * @returns what the accounts service says of the user
 * @throws Unauthenticated, and Unavailable where it cannot be told
 */
export async function checkSession(
  { auth }: Pick<AppDeps, 'auth'>,
  res: Response,
  ifGone: 'refuse' | 'pass',
): Promise<AccountState> {
  const state = await stateOf(auth, res);
  if (state === 'ended' || (state === 'gone' && ifGone === 'refuse')) {
    throw new Unauthenticated('This session has ended; sign in again.');
  }
  return state;
}

async function stateOf(auth: AppDeps['auth'], res: Response): Promise<AccountState | 'ended'> {
  try {
    const { disabled, tokensValidAfterTime, providerData } = await auth.getUser(userOf(res));
    const validAfter = Date.parse(tokensValidAfterTime ?? '');
    if (disabled === true || signInOf(res).at < validAfter) return 'ended';
    return providerData.length > 0 ? 'with_sign_in' : 'without_sign_in';
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'auth/user-not-found') return 'gone';
    throw new Unavailable('Sessions cannot be checked at the moment; try again shortly.', 1, error);
  }
}

/** What the accounts service says of the user now: with nothing to sign in with, with something, or no more. */
export type AccountState = 'without_sign_in' | 'with_sign_in' | 'gone';
