import type { DeleteAccountResponse } from '@extension-billing/contract/api';
import type { Millis } from '@extension-billing/contract/customer';
import type { RequestHandler } from 'express';
import { FieldValue, type Firestore, Timestamp } from 'firebase-admin/firestore';
import type { AppDeps } from '../deps.ts';
import { readStoredAccount } from '../events/apply.ts';
import { refuse, sendJson } from '../http/answer.ts';
import { type AccountState, checkSession, signInOf, userOf } from '../http/authenticate.ts';
import { parseNoFields } from '../http/body.ts';
import { answerProviderFailure } from '../http/error-handler.ts';
import { logOf } from '../http/gates.ts';
import { isNoAccount } from '../store/accounts.ts';
import { paths, type Uid } from '../store/documents.ts';
import { endCustomer } from '../stripe/customers.ts';

const NOT_DELETED =
  'Nothing was deleted: the payment provider could not end what still charges this account. Try again shortly; ' +
  'if it stays so, cancel the subscription in the portal first (POST /billing/portal).';

/**
 * POST /account/delete: ends what could still charge the user, then deletes the auth user; record and ledger stay
 * (docs/decisions/0066-account-deletion.md). Nothing is deleted while something could still charge, and a request
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
 * Ends what could still charge a user, then deletes the auth user; record and ledger stay
 * (docs/decisions/0066-account-deletion.md). Safe to repeat: it carries on where the time before it stopped.
 *
 * @returns the subscriptions that this ended at the provider
 * @throws what the provider threw; nothing is deleted then
 */
export async function endAccount(
  deps: Pick<AppDeps, 'firestore' | 'auth' | 'stripe' | 'now'>,
  uid: Uid,
): Promise<number> {
  await markDeleted(deps.firestore, uid, deps.now());
  let canceled = 0;
  try {
    const { customers } = await readStoredAccount(deps.firestore, uid);
    for (const customer of customers) canceled += await endCustomer(await deps.stripe(), customer);
  } catch (error) {
    await unmarkDeleted(deps.firestore, uid);
    throw error;
  }
  await deleteAuthUser(deps, uid);
  return canceled;
}

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

/**
 * Marks an account as deleted, in the field `deletedAt` of `billing_facts/{uid}`, and gives up its open checkout: a
 * request that is making one finds its claim gone, and closes what it made. Record and ledger stay.
 */
async function markDeleted(firestore: Firestore, uid: Uid, now: Millis): Promise<void> {
  const fields = { deletedAt: Timestamp.fromMillis(now), checkout: { open: null } };
  await paths.facts(firestore, uid).set(fields, { merge: true });
}

/** Takes the mark back: the deletion could not be carried out, and the account lives on. */
async function unmarkDeleted(firestore: Firestore, uid: Uid): Promise<void> {
  await paths.facts(firestore, uid).update({ deletedAt: FieldValue.delete() });
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
