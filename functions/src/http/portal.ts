import type { PortalResponse } from '@extension-billing/contract/api';
import type { RequestHandler, Response } from 'express';
import type { AppDeps } from '../deps.ts';
import { isUnknownCustomer } from '../provider/customers.ts';
import { createPortalSession } from '../provider/sessions.ts';
import { readCustomerId } from '../store/checkout-buyer.ts';
import { sendJson, sendProblem } from './answer.ts';
import { answerProviderFailure } from './answer-provider-failure.ts';
import { userOf } from './authenticate.ts';
import { checkSession } from './check-session.ts';
import { logOf } from './correlate.ts';
import { parseNoFields } from './parse-body.ts';

/** POST /billing/portal: the provider's page where a customer changes cards, sees invoices and cancels. */
export function portalRoute(deps: AppDeps): RequestHandler {
  return async (req, res) => {
    parseNoFields(req.body);
    await checkSession(deps, res, 'refuse');
    const customerId = await readCustomerId(deps.firestore, userOf(res));
    if (customerId === null) return refuse(deps, res);
    try {
      const url = await createPortalSession(await deps.stripe(), deps.config, customerId);
      logOf(res).info('portal_opened');
      sendJson(res, 200, { url } satisfies PortalResponse);
    } catch (error) {
      if (isUnknownCustomer(error)) return refuse(deps, res);
      answerProviderFailure(res, logOf(res), error);
    }
  };
}

/** There is no customer yet, or the provider no longer has the one that was there; the next checkout makes another. */
function refuse({ log }: AppDeps, res: Response): void {
  log.info('portal_refused', { code: 'no_customer' });
  sendProblem(res, 'no_customer', 'Nothing has been bought yet: buy a plan or a pack first.');
}
