import type { Stripe } from 'stripe';
import type { SubscriptionState } from '../domain/subscription-fact.ts';
import { readMetadata } from './metadata.ts';
import { readInstant } from './read-instant.ts';
import { rowsOf } from './rows-of.ts';

/** Before 2025-03-31 the period's end stood on the subscription itself, not on its items. */
type OlderSubscription = Stripe.Subscription & { readonly current_period_end?: number | null };

/**
 * One snapshot of a subscription. Under flexible billing, the default, a cancellation in the portal sets only
 * `cancel_at` and leaves the older flag alone (notes: stripe-node#2470), so either counts.
 */
export function readSubscription(subscription: Stripe.Subscription): SubscriptionState {
  const items = rowsOf(subscription.items);
  const status = typeof subscription.status === 'string' ? subscription.status : 'unknown';
  const named: unknown = items[0]?.price?.lookup_key;
  const lookupKey = typeof named === 'string' ? named : readMetadata(subscription.metadata).lookupKey;
  return {
    status,
    cancel: subscription.cancel_at_period_end === true || (subscription.cancel_at ?? null) !== null,
    lookupKey: lookupKey ?? null,
    periodEnd: periodEndOf(subscription, items),
    trialed: status === 'trialing' || (subscription.trial_end ?? null) !== null,
  };
}

function periodEndOf(
  subscription: OlderSubscription,
  items: readonly Stripe.SubscriptionItem[],
): number | null {
  const ends = items.map((item) => readInstant(item.current_period_end)).filter((end) => end !== null);
  return ends.length > 0 ? Math.max(...ends) : readInstant(subscription.current_period_end);
}
