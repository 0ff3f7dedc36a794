import { ChangeRequest, type ChangeResponse } from '@extension-billing/contract/api';
import { appOf, isSoldIn, offerOf } from '@extension-billing/contract/catalog';
import type { RequestHandler, Response } from 'express';
import type { AppDeps } from '../deps.ts';
import { InvalidRequest, sendJson, sendProblem } from '../http/answer.ts';
import { checkSession, userOf } from '../http/authenticate.ts';
import { parseBody } from '../http/body.ts';
import { answerProviderFailure } from '../http/error-handler.ts';
import { extensionOf, logOf, ownExtensions } from '../http/gates.ts';
import { openChangePage } from '../stripe/change-page.ts';
import type { Prices } from '../stripe/prices.ts';
import { releaseSchedule } from '../stripe/schedules.ts';
import { sellerOf } from '../stripe/seal.ts';
import { findRunning, type RunningPlan } from '../stripe/subscriptions.ts';
import { type ChangeDecision, decideChange, isSoldInItsCurrency } from './decide-change.ts';
import { readOpenBuyer } from './open.ts';

type Refusal = Extract<ChangeDecision, { kind: 'refused' }>['code'] | 'account_deleted';

const HOW_ON: Readonly<Record<Refusal, string>> = {
  no_subscription: 'No subscription runs: buy a plan at the checkout (POST /billing/checkout).',
  already_on_plan: 'This plan runs already; nothing has to be changed.',
  already_owned: 'A lifetime plan is owned: there is no subscription to change.',
  change_planned: 'Another change is planned: take it back first, by the key of the plan that runs.',
  currency_differs:
    'The running plan is billed in another currency than this plan is sold in. Cancel it in the portal (POST /billing/portal), then buy this plan at the checkout once it has ended.',
  checkout_required: 'This is bought once, not changed to: buy it at the checkout (POST /billing/checkout).',
  portal_required:
    'The plan is set to end, overdue or paused: put that right in the portal (POST /billing/portal) first.',
  account_deleted: 'This account was deleted: sign in with another one to buy.',
};

/**
 * POST /billing/change: the provider's page that shows what another plan costs and asks for the change; for the plan
 * that runs, the end of a change that is planned (design, section 11). The client names a lookup key and nothing else.
 */
export function changeRoute(deps: AppDeps, prices: Prices): RequestHandler {
  const isOwn = ownExtensions(deps);

  return async (req, res) => {
    const { lookup_key: lookupKey } = parseBody(ChangeRequest, req.body);
    const seller = sellerOf(deps);
    const extension = extensionOf(req, isOwn);
    const offer = offerOf(seller.catalog, lookupKey);
    if (offer === undefined || !isSoldIn(appOf(seller.catalog, extension), lookupKey)) {
      throw new InvalidRequest('lookup_key: nothing is sold under this name.', 'unknown_lookup_key');
    }
    await checkSession(deps, res, 'refuse');
    const uid = userOf(res);
    const { record, customerId, isDeleted } = await readOpenBuyer(deps, uid);
    if (isDeleted) return refuse(res, 'account_deleted');
    try {
      const stripe = await deps.stripe();
      const running = customerId === null ? null : await findRunning(stripe, uid, customerId, seller);
      const decision = decideChange(offer, record, running?.state ?? null);
      if (decision.kind === 'refused') return refuse(res, decision.code);
      if (running === null || customerId === null) return refuse(res, 'no_subscription');
      if (decision.kind === 'take_back') {
        await releaseSchedule(stripe, running.subscription);
        return answer(res, 'taken_back', null);
      }
      const url = await open(decision.trial, running, customerId);
      return typeof url === 'string' ? answer(res, 'opened', url) : refuse(res, url.refused);
    } catch (error) {
      answerProviderFailure(res, logOf(res), error);
    }

    /** Refused if the subscription has several items: no page of the provider's changes those. */
    async function open(
      trial: Extract<ChangeDecision, { kind: 'open' }>['trial'],
      { subscription, state }: RunningPlan,
      customer: string,
    ): Promise<string | { readonly refused: Refusal }> {
      const [item, ...more] = subscription.items.data;
      if (offer === undefined || offer.kind === 'pack' || item === undefined || more.length > 0)
        return { refused: 'portal_required' };
      const price = await prices.resolve(offer);
      if (!isSoldInItsCurrency(price, state)) return { refused: 'currency_differs' };
      const { id: priceId } = price;
      return openChangePage(await deps.stripe(), deps.config, {
        customer,
        subscription: subscription.id,
        item: item.id,
        quantity: item.quantity ?? 1,
        extension,
        priceId,
        trial,
        lookupKeys: seller.catalog.plans.flatMap((plan) =>
          plan.kind === 'subscription' ? [plan.lookupKey] : [],
        ),
      });
    }
  };
}

function answer(res: Response, outcome: 'opened' | 'taken_back', url: string | null): void {
  logOf(res).info('change', { outcome });
  sendJson(res, 200, { url } satisfies ChangeResponse);
}

function refuse(res: Response, code: Refusal): void {
  logOf(res).info('change_refused', { code });
  sendProblem(res, code, HOW_ON[code]);
}
