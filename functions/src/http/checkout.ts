import type { CheckoutResponse } from '@extension-billing/contract/api';
import { offerOf, pricing } from '@extension-billing/contract/pricing';
import type { RequestHandler, Response } from 'express';
import type { AppDeps } from '../deps.ts';
import { rememberPrices } from '../provider/prices.ts';
import { InvalidRequest, sendJson, sendProblem } from './answer.ts';
import { answerProviderFailure } from './answer-provider-failure.ts';
import { userOf } from './authenticate.ts';
import { logOf } from './correlate.ts';
import { checkouts } from './open-checkout.ts';
import type { OpenedCheckout } from './opened-checkout.ts';
import { parseBody } from './parse-body.ts';
import { CheckoutBody } from './requests.ts';

/**
 * POST /billing/checkout: the provider's hosted page for one offer of the pricing file. The client names a
 * lookup key and nothing else: price and amount are found here (specification, "What the service does", 3).
 */
export function checkoutRoute(deps: AppDeps): RequestHandler {
  const open = checkouts(deps, rememberPrices(deps.stripe, deps.now));

  return async (req, res) => {
    const { lookup_key: lookupKey } = parseBody(CheckoutBody, req.body);
    const offer = offerOf(pricing, lookupKey);
    if (offer === undefined) {
      throw new InvalidRequest('lookup_key: nothing is sold under this name.', 'unknown_lookup_key');
    }
    try {
      answer(res, offer.kind, await open(userOf(res), offer));
    } catch (error) {
      answerProviderFailure(res, logOf(res), error);
    }
  };
}

const HOW_ON = {
  already_subscribed:
    'A subscription is already running: change or cancel it in the portal (POST /billing/portal).',
  already_owned: 'The lifetime plan is already owned: see it in the portal (POST /billing/portal).',
  account_deleted: 'This account was deleted: sign in with another one to buy.',
} as const;

function answer(res: Response, kind: string, opened: OpenedCheckout): void {
  if (opened.kind === 'refused') {
    logOf(res).info('checkout_refused', { code: opened.code, kind });
    sendProblem(res, opened.code, HOW_ON[opened.code]);
    return;
  }
  logOf(res).info('checkout_opened', { kind, trial: opened.trial, shared: opened.shared });
  sendJson(res, 200, { url: opened.url, sessionId: opened.sessionId } satisfies CheckoutResponse);
}
