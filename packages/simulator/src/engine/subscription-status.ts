import type Stripe from 'stripe';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { closeInvoice } from './invoice-close.ts';

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

/**
 * Ends it now, for good: `customer.subscription.deleted`, and its open invoices are no longer retried. One that
 * never began (`incomplete_expired`) is updated instead, and its invoice is void.
 */
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
    if (status === 'incomplete_expired' && invoice.status === 'open') closeInvoice(world, invoice, 'void');
    invoice.auto_advance = false;
    invoice.automatically_finalizes_at = null;
    invoice.next_payment_attempt = null;
  }
  const end = (row: Stripe.Subscription): void => {
    row.status = status;
    row.ended_at = now;
    row.canceled_at ??= now;
    if (row.cancellation_details !== null) row.cancellation_details.reason ??= reason;
  };
  if (status === 'incomplete_expired') {
    updateSubscription(world, subscription, end);
    return;
  }
  end(subscription);
  world.emit('customer.subscription.deleted', subscription, scope);
}
