import type { DeleteAccountResponse } from '@extension-billing/contract/api';
import type { RequestHandler } from 'express';
import type { AppDeps } from '../deps.ts';
import { needsFreshSignIn } from '../domain/deletion.ts';
import { sendJson } from './answer.ts';
import { answerProviderFailure } from './answer-provider-failure.ts';
import { signInOf, userOf } from './authenticate.ts';
import { checkSession } from './check-session.ts';
import { logOf } from './correlate.ts';
import { endAccount } from './end-account.ts';
import { parseNoFields } from './parse-body.ts';
import { refuse } from './refuse.ts';

const NOT_DELETED =
  'Nothing was deleted: the payment provider could not end what still charges this account. Try again shortly; ' +
  'if it stays so, cancel the subscription in the portal first (POST /billing/portal).';

/**
 * POST /account/delete: ends what could still charge the user, then deletes the auth user; the books stay
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
