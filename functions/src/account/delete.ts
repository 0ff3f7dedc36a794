import type { DeleteAccountResponse } from '@extension-billing/contract/api';
import type { Millis } from '@extension-billing/contract/customer';
import type { RequestHandler } from 'express';
import type { AppDeps } from '../deps.ts';
import { readStoredAccount } from '../events/apply.ts';
import {
  abandonDeletion,
  beginDeletion,
  closeAccount,
  finishDeletion,
  keepDeleted,
} from '../events/deletion.ts';
import { refuse, sendJson } from '../http/answer.ts';
import { type AccountState, checkSession, signInOf, userOf } from '../http/authenticate.ts';
import { parseNoFields } from '../http/body.ts';
import { answerProviderFailure } from '../http/error-handler.ts';
import { logOf } from '../http/gates.ts';
import { isNoAccount } from '../store/accounts.ts';
import type { Uid } from '../store/documents.ts';
import { endCustomer } from '../stripe/customers.ts';

const NOT_DELETED =
  'Nothing was deleted: the payment provider could not end what still charges this account. Try again shortly; ' +
  'if it stays so, cancel the subscription in the portal first (POST /billing/portal).';

/**
 * POST /account/delete: ends what could still charge the user, then deletes the auth user; the books stay
 * (docs/decisions/account-deletion.md). Nothing is deleted while something could still charge, and a request
 * that is repeated carries on where the one before it stopped.
 */
export function deleteAccountRoute(deps: AppDeps): RequestHandler {
  return async (req, res) => {
    parseNoFields(req.body);
    const uid = userOf(res);
    const account = await checkSession(deps, res, 'pass');
    if (needsFreshSignIn(signInOf(res), account, deps.now())) {
      const detail = 'Sign in again, then delete the account within 5 minutes.';
      refuse(logOf(res), req, res, 'recent_sign_in_required', detail);
      return;
    }
    try {
      const canceledSubscriptions = await endAccount(deps, uid);
      logOf(res).info('account_deleted', { canceledSubscriptions });
      sendJson(res, 200, { deleted: true, canceledSubscriptions } satisfies DeleteAccountResponse);
    } catch (error) {
      answerProviderFailure(res, logOf(res), error, NOT_DELETED);
    }
  };
}

/**
 * Ends what could still charge a user, deletes the auth user, and gives up what the account has; the books stay
 * (docs/decisions/account-deletion.md). Safe to repeat: it carries on where the time before it stopped.
 *
 * @returns the subscriptions that this ended at the provider
 * @throws what the provider threw, and nothing is deleted then; or what Firebase Auth threw
 */
export async function endAccount(
  deps: Pick<AppDeps, 'firestore' | 'auth' | 'stripe' | 'now' | 'catalog'>,
  uid: Uid,
): Promise<number> {
  const { firestore } = deps;
  const attempt = await beginDeletion(firestore, uid, deps.now());
  let canceled: number;
  try {
    canceled = await endCharges(deps, uid);
  } catch (error) {
    if ((await abandonDeletion(firestore, uid, attempt, deps.now())) === 'deleted') return 0;
    throw error;
  }
  await keepDeleted(firestore, uid, deps.now());
  try {
    await deleteAuthUser(deps, uid);
    await closeAccount(deps, uid);
  } finally {
    await finishDeletion(firestore, uid, attempt);
  }
  return canceled;
}

async function endCharges(deps: Pick<AppDeps, 'firestore' | 'stripe'>, uid: Uid): Promise<number> {
  const { customers } = await readStoredAccount(deps.firestore, uid);
  let canceled = 0;
  for (const customer of customers) canceled += await endCustomer(await deps.stripe(), customer);
  return canceled;
}

/** How fresh a sign-in must be to delete an account: as Firebase's own `deleteUser` asks for. */
export const RECENT: Millis = 5 * 60_000;

/**
 * Whether a user must sign in again before their account is deleted, so that a token that was taken cannot do it.
 *
 * A guest has nothing to sign in with. Whether somebody is one, the account says, not the token: a session from before
 * a guest added a sign-in keeps on yielding a guest's tokens, and proves nothing about the account that there is now
 * (docs/decisions/account-deletion.md#a-guest-is-known-by-the-account-not-the-token).
 */
export function needsFreshSignIn(
  signIn: { readonly at: Millis; readonly isAnonymous: boolean },
  account: AccountState,
  now: Millis,
): boolean {
  if (signIn.isAnonymous) return account === 'with_sign_in';
  return !(now - signIn.at <= RECENT);
}

/** Deletes the auth user, which ends every session and takes the claims along. Fine where there is none any more. */
async function deleteAuthUser({ auth }: Pick<AppDeps, 'auth'>, uid: Uid): Promise<void> {
  try {
    await auth.deleteUser(uid);
  } catch (error) {
    if (isNoAccount(error)) return;
    throw error;
  }
}
