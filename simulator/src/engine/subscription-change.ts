import type Stripe from 'stripe';
import { cardGiven } from '../api/card-given.ts';
import { invalidRequest } from '../http/errors.ts';
import { mergedMetadata } from '../objects/metadata.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { attachCard } from './payments.ts';
import { switchPrice } from './plan-switch.ts';
import { currentPeriodEnd, keepSubscription, scheduleCancellation } from './subscription-cancel.ts';
import { renewSubscription } from './subscription-renew.ts';
import { updateSubscription } from './subscription-status.ts';

type Params = Stripe.SubscriptionUpdateParams;

function details(params: Params): { feedback?: string; comment?: string } {
  const given = params.cancellation_details;
  return {
    ...(given?.feedback ? { feedback: given.feedback } : {}),
    ...(given?.comment ? { comment: given.comment } : {}),
  };
}

function changeCancellation(world: World, subscription: Stripe.Subscription, params: Params): void {
  const end = currentPeriodEnd(subscription);
  if (params.cancel_at_period_end === true) {
    scheduleCancellation(world, subscription, { at: end, byPeriodEndSwitch: true }, details(params));
    return;
  }
  const at = params.cancel_at;
  if (at === 'min_period_end' || at === 'max_period_end')
    scheduleCancellation(world, subscription, { at: end, byPeriodEndSwitch: false }, details(params));
  else if (typeof at === 'number') {
    if (at <= world.nowFor(idOf(subscription.customer)))
      throw invalidRequest('`cancel_at` must be a timestamp in the future.', 'cancel_at');
    scheduleCancellation(world, subscription, { at, byPeriodEndSwitch: false }, details(params));
  } else if (params.cancel_at_period_end === false || at === '') keepSubscription(world, subscription);
}

function endTrialNow(world: World, subscription: Stripe.Subscription): void {
  const now = world.nowFor(idOf(subscription.customer));
  for (const item of subscription.items.data) item.current_period_end = now;
  subscription.trial_end = now;
  subscription.billing_cycle_anchor = now;
  renewSubscription(world, subscription);
}

/** What `POST /v1/subscriptions/{id}` can change: cancellation, price, metadata, card, the trial's end. */
export function changeSubscription(
  world: World,
  subscription: Stripe.Subscription,
  params: Params,
): Stripe.Subscription {
  const customer = world.tables.customers.known(idOf(subscription.customer));
  if (params.cancel_at_period_end !== undefined && params.cancel_at !== undefined)
    throw invalidRequest(
      'You may only specify one of these parameters: cancel_at, cancel_at_period_end.',
      'cancel_at',
    );
  const method = params.default_payment_method;
  const card =
    method === undefined || method === ''
      ? null
      : cardGiven(world, method, customer.id, 'default_payment_method');
  if (card !== null && card.customer === null) attachCard(world, card, customer);
  updateSubscription(world, subscription, (row) => {
    row.metadata = mergedMetadata(row.metadata, params.metadata);
    if (params.description !== undefined) row.description = params.description || null;
    if (card !== null) row.default_payment_method = card.id;
  });
  if (params.items !== undefined)
    switchPrice(world, subscription, params.items, params.proration_behavior ?? 'create_prorations');
  changeCancellation(world, subscription, params);
  if (params.trial_end === 'now' && subscription.status === 'trialing') endTrialNow(world, subscription);
  return subscription;
}
