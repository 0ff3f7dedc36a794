/**
 * Stripe's statuses of a subscription; of several live ones, the status that stands first is shown.
 *
 * `status` in facts, record and snapshot is Stripe's own word and open-ended. One that is not listed entitles to
 * nothing, does not stand in the way of a purchase, and is not over either.
 */
export const SUBSCRIPTION_STATUSES = [
  'active',
  'trialing',
  'past_due',
  'paused',
  'unpaid',
  'incomplete',
  'canceled',
  'incomplete_expired',
] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

type Test = (status: string | null) => boolean;

/* @__NO_SIDE_EFFECTS__ */
const among = (...statuses: readonly SubscriptionStatus[]): Test => {
  const known: ReadonlySet<string | null> = new Set(statuses);
  return (status) => known.has(status);
};

/** Its user has paid or is in a trial. A card that fails keeps its owner in until Stripe gives up. */
export const isEntitling = among('active', 'trialing', 'past_due');

/** It bills again, or would once its invoice is paid: a second subscription beside it would charge twice. */
export const isRunning = among('active', 'trialing', 'past_due', 'unpaid', 'paused');

/** Its last payment failed, and its owner can put that right in the portal. */
export const isOverdue = among('past_due', 'unpaid');

/** It lives, and its running period is not paid for. */
export const isStalled = among('past_due', 'unpaid', 'paused', 'incomplete');

/** It ended for good: Stripe makes a new subscription instead of bringing one back. */
export const isOver = among('canceled', 'incomplete_expired');

/** In its trial. */
export const isTrial = among('trialing');

const isBeforeFirstPayment = among('incomplete', 'incomplete_expired');

/** Its first payment, or its trial, let it begin. */
export const hasBegun: Test = (status) => !isBeforeFirstPayment(status);

/** The place of a live subscription among several: the lowest is shown. A status that is not known comes last. */
export function rankOf(status: string): number {
  const place = (SUBSCRIPTION_STATUSES as readonly string[]).indexOf(status);
  return place === -1 || isOver(status) ? SUBSCRIPTION_STATUSES.length : place;
}
