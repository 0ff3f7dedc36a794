import type { RequestHandler } from 'express';
import type { DeleteAccountResponse } from '../contract/api.ts';
import type { AppDeps } from '../deps.ts';
import { needsFreshSignIn } from '../domain/deletion.ts';
import { endCustomer } from '../provider/end-customer.ts';
import { deleteAuthUser } from '../store/auth-users.ts';
import { markDeleted, unmarkDeleted } from '../store/deletion.ts';
import { readStoredBooks } from '../store/read-books.ts';
import { sendJson, sendProblem } from './answer.ts';
import { answerProviderFailure } from './answer-provider-failure.ts';
import { signInOf, userOf } from './authenticate.ts';
import { parseNoFields } from './parse-body.ts';

/**
 * POST /account/delete: ends what could still charge the user, then deletes the auth user; the books stay
 * (docs/decisions/0066-account-deletion.md). Nothing is deleted while something could still charge, and a request
 * that is repeated carries on where the one before it stopped.
 */
export function deleteAccountRoute(deps: AppDeps): RequestHandler {
  return async (req, res) => {
    parseNoFields(req.body);
    const uid = userOf(res);
    if (needsFreshSignIn(signInOf(res), deps.now())) {
      sendProblem(res, 'recent_sign_in_required', 'Sign in again, then delete the account within 5 minutes.');
      return;
    }
    await markDeleted(deps.firestore, uid, deps.now());
    let canceledSubscriptions = 0;
    try {
      const { customers } = await readStoredBooks(deps.firestore, uid);
      for (const customer of customers) {
        canceledSubscriptions += await endCustomer(await deps.stripe(), customer);
      }
    } catch (error) {
      await unmarkDeleted(deps.firestore, uid);
      answerProviderFailure(res, deps.log, error);
      return;
    }
    await deleteAuthUser(deps, uid);
    deps.log.info('account_deleted', { canceledSubscriptions });
    sendJson(res, 200, { deleted: true, canceledSubscriptions } satisfies DeleteAccountResponse);
  };
}
