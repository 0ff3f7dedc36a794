import type { CheckoutResponse, PortalResponse } from '@extension-billing/contract/api';
import { CheckoutRequest } from '@extension-billing/contract/api';
import { appOf, isSoldIn, offerOf } from '@extension-billing/contract/catalog';
import type { RequestHandler, Response } from 'express';
import type { AppDeps } from '../deps.ts';
import { InvalidRequest, sendJson, sendProblem } from '../http/answer.ts';
import { checkSession, userOf } from '../http/authenticate.ts';
import { parseBody, parseNoFields } from '../http/body.ts';
import { answerProviderFailure } from '../http/error-handler.ts';
import { extensionOf, logOf, ownExtensions } from '../http/gates.ts';
import { isUnknownCustomer } from '../stripe/customers.ts';
import type { Prices } from '../stripe/prices.ts';
import { createPortalSession } from '../stripe/sessions.ts';
import { readCustomerId } from './buyer.ts';
import { checkouts } from './open.ts';
import type { OpenedCheckout } from './sessions.ts';

/**
 * POST /billing/checkout: the provider's hosted page for one offer of the catalogue. The client names a lookup key, and
 * the currency of the price it showed: price and amount are found here (specification, "What the service does", 3).
 */
export function checkoutRoute(deps: AppDeps, prices: Prices): RequestHandler {
  const open = checkouts(deps, prices);
  const isOwn = ownExtensions(deps);

  return async (req, res) => {
    const { lookup_key: lookupKey, currency = null } = parseBody(CheckoutRequest, req.body);
    const catalog = deps.catalog();
    const extension = extensionOf(req, isOwn);
    const offer = offerOf(catalog, lookupKey);
    if (offer === undefined || !isSoldIn(appOf(catalog, extension), lookupKey)) {
      throw new InvalidRequest('lookup_key: nothing is sold under this name.', 'unknown_lookup_key');
    }
    try {
      answer(res, offer.kind, await open(userOf(res), { offer, currency, extension }));
    } catch (error) {
      answerProviderFailure(res, logOf(res), error);
    }
  };
}

const HOW_ON = {
  already_subscribed:
    'A subscription is already running: change it (POST /billing/change) or cancel it (POST /billing/portal).',
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

/** POST /billing/portal: the provider's page where a customer changes cards, sees invoices and cancels. */
export function portalRoute(deps: AppDeps): RequestHandler {
  const isOwn = ownExtensions(deps);

  return async (req, res) => {
    parseNoFields(req.body);
    await checkSession(deps, res, 'refuse');
    const customerId = await readCustomerId(deps.firestore, userOf(res));
    if (customerId === null) return refuse(deps, res);
    try {
      const url = await createPortalSession(
        await deps.stripe(),
        deps.config,
        customerId,
        extensionOf(req, isOwn),
      );
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
