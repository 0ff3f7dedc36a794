import { isPlanKey } from '@extension-billing/contract/pricing';
import type { Stripe } from 'stripe';
import type { CollectionPause, SubscriptionState } from '../domain/subscription-fact.ts';
import { readMetadata } from './metadata.ts';
import { readInstant } from './read-instant.ts';
import { rowsOf } from './rows-of.ts';

/** Before 2025-03-31 the period stood on the subscription itself, not on its items. */
type OlderSubscription = Stripe.Subscription & {
  readonly current_period_start?: number | null;
  readonly current_period_end?: number | null;
};

/**
 * One snapshot of a subscription. Under flexible billing, the default, a cancellation in the portal sets only
 * `cancel_at` and leaves the older flag alone (notes: stripe-node#2470), so either counts.
 */
export function readSubscription(subscription: OlderSubscription): SubscriptionState {
  const items = rowsOf(subscription.items);
  const metadata = readMetadata(subscription.metadata);
  const service = serviceItem(items, metadata.priceId);
  const status = typeof subscription.status === 'string' ? subscription.status : 'unknown';
  const named: unknown = service?.price?.lookup_key;
  return {
    status,
    cancel: subscription.cancel_at_period_end === true || (subscription.cancel_at ?? null) !== null,
    lookupKey: lookupKeyOf(typeof named === 'string' ? named : undefined, metadata.lookupKey),
    periodEnd: periodEndOf(subscription, items),
    periodStart: readInstant(service?.current_period_start) ?? readInstant(subscription.current_period_start),
    pause: pauseOf(subscription),
    trialed: status === 'trialing' || (subscription.trial_end ?? null) !== null,
    ...(metadata.project !== undefined && { tagged: true }),
  };
}

/** The price's own key, which a switch at the provider changes; what was bought, where that is none of ours. */
function lookupKeyOf(ofPrice: string | undefined, bought: string | undefined): string | null {
  const known = isPlanKey(ofPrice) ? ofPrice : isPlanKey(bought) ? bought : ofPrice;
  return known ?? bought ?? null;
}

/** The item that the plan is: the price that was bought, else a plan of the catalogue, else the one that grants most. */
function serviceItem(
  items: readonly Stripe.SubscriptionItem[],
  bought: string | undefined,
): Stripe.SubscriptionItem | undefined {
  const credits = (item: Stripe.SubscriptionItem) => readMetadata(item.price?.metadata).monthlyCredits ?? 0;
  const found = bought === undefined ? undefined : items.find(({ price }) => price?.id === bought);
  const isPlan = ({ price }: Stripe.SubscriptionItem) => Number(isPlanKey(price?.lookup_key));
  return found ?? [...items].sort((a, b) => isPlan(b) - isPlan(a) || credits(b) - credits(a))[0];
}

function pauseOf({ pause_collection: pause }: Stripe.Subscription): CollectionPause | null {
  if (typeof pause !== 'object' || pause === null) return null;
  const behavior = typeof pause.behavior === 'string' ? pause.behavior : 'unknown';
  return { behavior, resumesAt: readInstant(pause.resumes_at) };
}

function periodEndOf(
  subscription: OlderSubscription,
  items: readonly Stripe.SubscriptionItem[],
): number | null {
  const ends = items.map((item) => readInstant(item.current_period_end)).filter((end) => end !== null);
  return ends.length > 0 ? Math.max(...ends) : readInstant(subscription.current_period_end);
}
