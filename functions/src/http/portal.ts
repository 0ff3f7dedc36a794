import type { RequestHandler } from 'express';
import type { PortalResponse } from '../contract/api.ts';
import type { AppDeps } from '../deps.ts';
import { createPortalSession } from '../provider/sessions.ts';
import { readBuyer } from '../store/checkout-buyer.ts';
import { sendJson, sendProblem } from './answer.ts';
import { answerProviderFailure } from './answer-provider-failure.ts';
import { userOf } from './authenticate.ts';
import { parseNoFields } from './parse-body.ts';

/** POST /billing/portal: the provider's page where a customer changes cards, sees invoices and cancels. */
export function portalRoute(deps: AppDeps): RequestHandler {
  return async (req, res) => {
    parseNoFields(req.body);
    const { customerId } = await readBuyer(deps.firestore, userOf(res));
    if (customerId === null) {
      deps.log.info('portal_refused', { code: 'no_customer' });
      sendProblem(res, 'no_customer', 'Nothing has been bought yet: buy a plan or a pack first.');
      return;
    }
    try {
      const url = await createPortalSession(await deps.stripe(), deps.config, customerId);
      deps.log.info('portal_opened');
      sendJson(res, 200, { url } satisfies PortalResponse);
    } catch (error) {
      answerProviderFailure(res, deps.log, error);
    }
  };
}
