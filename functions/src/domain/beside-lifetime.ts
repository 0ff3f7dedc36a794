import { isOver, isStalled } from '@extension-billing/contract/subscription-status';
import { ownsLifetime } from './entitlement.ts';
import type { Facts } from './facts.ts';
import { isSold } from './is-sold.ts';
import type { SubscriptionState } from './subscription-fact.ts';

/** How a subscription is ended beside a lifetime plan. */
export type Ending =
  /** What is paid, or free as a trial, runs out; nothing is charged after it. */
  | 'at_period_end'
  /** Nothing that is paid would be lost, and an invoice that is still open would be charged. */
  | 'now';

/**
 * How a subscription of a lifetime plan's owner has to be ended, or null where it ends by itself
 * (docs/decisions/0110-lifetime-ends-the-subscription.md). What this project does not sell is not its to end.
 */
export function endingOf(state: SubscriptionState): Ending | null {
  if (!isSold(state)) return null;
  const { status, cancel } = state;
  if (isOver(status)) return null;
  if (isStalled(status)) return 'now';
  // A status that is not known yet ends with its period, like an active one.
  return cancel ? null : 'at_period_end';
}

/**
 * Ids of the subscriptions that would charge the owner of a lifetime plan again, as far as is known; null for those who
 * own none.
 */
export function subscriptionsToEnd(facts: Facts): readonly string[] | null {
  if (!ownsLifetime(facts)) return null;
  return Object.entries(facts.subscriptions)
    .filter(([, { state }]) => endingOf(state) !== null)
    .map(([id]) => id);
}
