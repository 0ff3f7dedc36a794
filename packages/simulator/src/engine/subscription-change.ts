import type Stripe from 'stripe';
import { cardGiven } from '../api/card-given.ts';
import { invalidRequest } from '../http/errors.ts';
import { mergedMetadata } from '../objects/metadata.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import type { Presence } from './cards.ts';
import { discountGiven, discountSubscription } from './discounts.ts';
import { attachCard, cardOf } from './payments.ts';
import { type PlannedSwitch, planSwitch } from './plan-switch.ts';
import { currentPeriodEnd, eraseCancellation, writeCancellation } from './subscription-cancel.ts';
import { mayStartUnpaid } from './subscription-renew.ts';
import { updateSubscription } from './subscription-status.ts';
import { switchAsked } from './switch-asked.ts';
import { billSwitch, enforceSwitch, paymentBehaviour, refuseUnpaid } from './switch-bill.ts';

type Params = Stripe.SubscriptionUpdateParams;

function details(params: Params): { feedback?: string; comment?: string } {
  const given = params.cancellation_details;
  return {
    ...(given?.feedback ? { feedback: given.feedback } : {}),
    ...(given?.comment ? { comment: given.comment } : {}),
  };
}

/** How the request changes the cancellation of a subscription's row; the row's periods are the new ones by then. */
function cancellationChange(params: Params, now: number): (row: Stripe.Subscription) => void {
  const at = params.cancel_at;
  if (params.cancel_at_period_end !== undefined && at !== undefined)
    throw invalidRequest(
      'You may only specify one of these parameters: cancel_at, cancel_at_period_end.',
      'cancel_at',
    );
  if (typeof at === 'number' && at <= now)
    throw invalidRequest('`cancel_at` must be a timestamp in the future.', 'cancel_at');
  const byPeriodEndSwitch = params.cancel_at_period_end === true;
  const atPeriodEnd = byPeriodEndSwitch || at === 'min_period_end' || at === 'max_period_end';
  return (row) => {
    if (atPeriodEnd)
      writeCancellation(row, now, { at: currentPeriodEnd(row), byPeriodEndSwitch }, details(params));
    else if (typeof at === 'number')
      writeCancellation(row, now, { at, byPeriodEndSwitch: false }, details(params));
    else if (params.cancel_at_period_end === false || at === '') eraseCancellation(row);
  };
}

/** The switch that the request asks for, worked out and found possible; null when it asks for none. */
function plannedSwitch(
  world: World,
  subscription: Stripe.Subscription,
  params: Params,
  presence: Presence,
): PlannedSwitch | null {
  const asked = switchAsked(world, subscription, params);
  if (asked === null) return null;
  if (subscription.status === 'incomplete')
    throw invalidRequest(
      'This subscription is incomplete: pay its first invoice before changing its items.',
      'items',
    );
  const planned = planSwitch(world, subscription, asked);
  if (paymentBehaviour(params.payment_behavior) === 'error_if_incomplete')
    refuseUnpaid(world, subscription, planned, presence);
  return planned;
}

/** Whether the subscription goes on when its trial ends now: without a card that is the trial's own setting. */
function survives(world: World, subscription: Stripe.Subscription, planned: PlannedSwitch | null): boolean {
  if (planned?.trial?.status !== 'active') return true;
  const customer = world.tables.customers.known(idOf(subscription.customer));
  const card = cardOf(world, customer, idOf(subscription.default_payment_method));
  return card !== null || mayStartUnpaid(world, subscription);
}

/** Settings that bill nothing by themselves: tax, the discount, what a trial without a card ends in. */
function changeSettings(world: World, row: Stripe.Subscription, params: Params): void {
  const { automatic_tax: tax, discounts, trial_settings: trial } = params;
  const [given] = params.items ?? [];
  for (const item of row.items.data) item.metadata = mergedMetadata(item.metadata, given?.metadata);
  if (tax !== undefined)
    row.automatic_tax = {
      disabled_reason: null,
      enabled: tax.enabled,
      liability: tax.enabled ? { type: 'self' } : null,
    };
  if (trial !== undefined)
    row.trial_settings = {
      end_behavior: {
        billing_cycle_anchor: null,
        missing_payment_method: trial.end_behavior.missing_payment_method ?? 'create_invoice',
      },
    };
  if (discounts === undefined) return;
  const [discount] = discounts || [];
  if (discount === undefined) row.discounts = [];
  else discountSubscription(world, row, discountGiven(world, discount, 'discounts[0]'), null);
}

/**
 * What `POST /v1/subscriptions/{id}` can change: plan and quantity with prorations, the billing cycle's anchor,
 * the trial's end, cancellation, metadata, card. One `customer.subscription.updated` tells of it all.
 *
 * @param presence whether the customer can confirm a bill at once (3-D Secure)
 */
export function changeSubscription(
  world: World,
  subscription: Stripe.Subscription,
  params: Params,
  presence: Presence = params.off_session === true ? 'away' : 'there',
): Stripe.Subscription {
  const customer = world.tables.customers.known(idOf(subscription.customer));
  const changeCancellation = cancellationChange(params, world.nowFor(customer.id));
  const planned = plannedSwitch(world, subscription, params, presence);
  const method = params.default_payment_method;
  const card =
    method === undefined || method === ''
      ? null
      : cardGiven(world, method, customer.id, 'default_payment_method');
  if (card !== null && card.customer === null) attachCard(world, card, customer);
  const goesOn = survives(world, subscription, planned);
  const billed: Stripe.Invoice[] = [];
  updateSubscription(world, subscription, (row) => {
    row.metadata = mergedMetadata(row.metadata, params.metadata);
    if (params.description !== undefined) row.description = params.description || null;
    if (card !== null) row.default_payment_method = card.id;
    changeSettings(world, row, params);
    const draft = planned === null || !goesOn ? null : enforceSwitch(world, row, planned);
    if (draft !== null) billed.push(draft);
    if (goesOn) changeCancellation(row);
  });
  for (const draft of billed)
    billSwitch(world, subscription, draft, paymentBehaviour(params.payment_behavior), presence);
  return subscription;
}
