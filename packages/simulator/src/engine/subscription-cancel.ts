import type Stripe from 'stripe';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { updateSubscription } from './subscription-status.ts';

/** The end of what is paid for: the latest of the items' periods. */
export function currentPeriodEnd(subscription: Stripe.Subscription): number {
  return Math.max(...subscription.items.data.map((item) => item.current_period_end));
}

/** How a cancellation is asked for: the API's switch sets the boolean too, the portal and `cancel_at` only the time. */
export type Scheduled = { at: number; byPeriodEndSwitch: boolean };

/** Writes a cancellation that has been asked for onto the subscription's row. */
export function writeCancellation(
  row: Stripe.Subscription,
  now: number,
  scheduled: Scheduled,
  details: { feedback?: string; comment?: string } = {},
): void {
  row.cancel_at = scheduled.at;
  row.cancel_at_period_end = scheduled.byPeriodEndSwitch;
  row.canceled_at = now;
  row.cancellation_details = {
    comment: details.comment ?? null,
    feedback: details.feedback ?? null,
    feedback_option: null,
    reason: 'cancellation_requested',
  };
}

/** Takes a scheduled cancellation off the subscription's row. */
export function eraseCancellation(row: Stripe.Subscription): void {
  row.cancel_at = null;
  row.cancel_at_period_end = false;
  row.canceled_at = null;
  row.cancellation_details = { comment: null, feedback: null, feedback_option: null, reason: null };
}

export function scheduleCancellation(
  world: World,
  subscription: Stripe.Subscription,
  scheduled: Scheduled,
): void {
  const now = world.nowFor(idOf(subscription.customer));
  updateSubscription(world, subscription, (row) => writeCancellation(row, now, scheduled));
}

/** Takes a scheduled cancellation back. */
export function keepSubscription(world: World, subscription: Stripe.Subscription): void {
  updateSubscription(world, subscription, eraseCancellation);
}
