import type Stripe from 'stripe';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';

/** Changes a subscription and says so with `customer.subscription.updated` and what was there before. */
export function updateSubscription(
  world: World,
  subscription: Stripe.Subscription,
  mutate: (subscription: Stripe.Subscription) => void,
): void {
  world.change(
    'customer.subscription.updated',
    subscription,
    world.scopeOf(idOf(subscription.customer)),
    mutate,
  );
}

export function setStatus(
  world: World,
  subscription: Stripe.Subscription,
  status: Stripe.Subscription.Status,
): void {
  updateSubscription(world, subscription, (row) => {
    row.status = status;
  });
}

/** Ends it now, for good: `customer.subscription.deleted`. Its open invoices are no longer retried. */
export function endSubscription(
  world: World,
  subscription: Stripe.Subscription,
  reason: Stripe.Subscription.CancellationDetails.Reason,
  status: 'canceled' | 'incomplete_expired' = 'canceled',
): void {
  const scope = world.scopeOf(idOf(subscription.customer));
  const now = world.clock.now(scope);
  for (const invoice of world.tables.invoices.all()) {
    const owner = idOf(invoice.parent?.subscription_details?.subscription);
    if (owner !== subscription.id || (invoice.status !== 'draft' && invoice.status !== 'open')) continue;
    invoice.auto_advance = false;
    invoice.automatically_finalizes_at = null;
    invoice.next_payment_attempt = null;
  }
  subscription.status = status;
  subscription.ended_at = now;
  subscription.canceled_at ??= now;
  if (subscription.cancellation_details !== null) subscription.cancellation_details.reason ??= reason;
  world.emit(
    status === 'canceled' ? 'customer.subscription.deleted' : 'customer.subscription.updated',
    subscription,
    scope,
  );
}
