import type { Stripe } from 'stripe';
import type { SubscriptionState } from '../domain/events.ts';
import { readMetadata } from './metadata.ts';

/** Before 2025-03-31 the period's end stood on the subscription itself, not on its items. */
type OlderSubscription = Stripe.Subscription & { readonly current_period_end?: number | null };

/**
 * One snapshot of a subscription. Under flexible billing, the default, a cancellation in the portal sets only
 * `cancel_at` and leaves the older flag alone (notes: stripe-node#2470), so either counts.
 */
export function readSubscription(subscription: Stripe.Subscription): SubscriptionState {
  const items = subscription.items?.data ?? [];
  const status = typeof subscription.status === 'string' ? subscription.status : 'unknown';
  const lookupKey = items[0]?.price?.lookup_key ?? readMetadata(subscription.metadata).lookupKey ?? null;
  return {
    status,
    cancel: subscription.cancel_at_period_end === true || (subscription.cancel_at ?? null) !== null,
    lookupKey,
    periodEnd: periodEndOf(subscription, items),
    trialed: status === 'trialing' || (subscription.trial_end ?? null) !== null,
  };
}

function periodEndOf(
  subscription: OlderSubscription,
  items: readonly Stripe.SubscriptionItem[],
): number | null {
  const ends = items.map((item) => item.current_period_end).filter((end) => typeof end === 'number');
  const end = ends.length > 0 ? Math.max(...ends) : subscription.current_period_end;
  return typeof end === 'number' ? end * 1000 : null;
}
