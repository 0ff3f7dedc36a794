import { PricesQuery, type PricesResponse } from '@extension-billing/contract/api';
import { appOf, isSoldIn, offersOf } from '@extension-billing/contract/catalog';
import type { RequestHandler } from 'express';
import type { AppDeps } from '../deps.ts';
import { sendJson } from '../http/answer.ts';
import { userOf } from '../http/authenticate.ts';
import { parseQuery } from '../http/body.ts';
import { answerProviderFailure } from '../http/error-handler.ts';
import { extensionOf, logOf, ownExtensions } from '../http/gates.ts';
import { chargedFor, type Prices } from '../stripe/prices.ts';
import { readCurrency } from './buyer.ts';

/**
 * GET /billing/prices: what each offer costs this buyer, in the currency that a checkout will charge, and the credits
 * that it brings (docs/decisions/checkout.md). An offer whose price is missing or wrong at the provider is left
 * out: it can't be bought either.
 */
export function pricesRoute(deps: AppDeps, prices: Prices): RequestHandler {
  const isOwn = ownExtensions(deps);

  return async (req, res) => {
    const { currency = null } = parseQuery(PricesQuery, req.query);
    const catalog = deps.catalog();
    const app = appOf(catalog, extensionOf(req, isOwn));
    const offers = offersOf(catalog).filter(({ lookupKey }) => isSoldIn(app, lookupKey));
    try {
      const [billedIn, found] = await Promise.all([
        readCurrency(deps.firestore, userOf(res)),
        prices.resolveAll(offers),
      ]);
      const sold = offers.flatMap(({ lookupKey }, index) => {
        const price = found[index] ?? null;
        const charged = price === null ? null : chargedFor(price, [billedIn, currency]);
        if (price === null || charged === null) return [];
        return [{ lookupKey, ...charged, credits: price.credits || price.monthlyCredits || null }];
      });
      const missing = offers.length - sold.length;
      const line = { sold: sold.length, missing };
      if (missing > 0) logOf(res).warn('prices_read', line);
      else logOf(res).info('prices_read', line);
      sendJson(res, 200, { prices: sold } satisfies PricesResponse);
    } catch (error) {
      answerProviderFailure(res, logOf(res), error);
    }
  };
}
