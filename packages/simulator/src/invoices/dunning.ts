import type Stripe from 'stripe';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { endSubscription, setStatus } from '../subscriptions/subscription.ts';
import {
  type Collected,
  type Collecting,
  collectInvoice,
  markDelinquent,
  subscriptionOf,
} from './collect.ts';

const DAY = 86_400;

/** Charges an open invoice and moves its subscription to what follows from the result. */
export function collectAndFollowUp(world: World, invoice: Stripe.Invoice, how: Collecting): Collected {
  const collected = collectInvoice(world, invoice, how);
  const subscription = subscriptionOf(world, invoice);
  switch (collected.outcome) {
    case 'paid':
      if (subscription !== undefined) recover(world, subscription);
      break;
    case 'asks':
      world.emit('invoice.payment_action_required', invoice, world.scopeOf(idOf(invoice.customer)));
      if (how.presence === 'away') fail(world, invoice, subscription);
      else if (subscription?.status === 'active') setStatus(world, subscription, 'past_due');
      break;
    case 'refused':
    case 'no_card':
      fail(world, invoice, subscription);
      break;
    default:
      collected satisfies never;
  }
  return collected;
}

/** Paid after all: the subscription is active again once nothing that was tried is still open. */
function recover(world: World, subscription: Stripe.Subscription): void {
  const owes = world.tables.invoices.find(
    (row) => row.status === 'open' && row.attempted && subscriptionOf(world, row)?.id === subscription.id,
  );
  const { status } = subscription;
  if (owes !== undefined) return;
  if (status === 'past_due' || status === 'unpaid' || status === 'incomplete')
    setStatus(world, subscription, 'active');
}

/** An attempt that failed: when the next one is, and what the subscription is meanwhile. */
export function fail(
  world: World,
  invoice: Stripe.Invoice,
  subscription: Stripe.Subscription | undefined,
): void {
  const scope = world.scopeOf(idOf(invoice.customer));
  const now = world.clock.now(scope);
  const { retryDays, final } = world.options.dunning;
  const first = invoice.billing_reason === 'subscription_create';
  const days = first ? undefined : retryDays[invoice.attempt_count - 1];
  markDelinquent(world, invoice, true);
  invoice.next_payment_attempt = days === undefined ? null : now + days * DAY;
  world.emit('invoice.payment_failed', invoice, scope);
  if (subscription === undefined || subscription.ended_at !== null || first) return;
  if (days !== undefined || final === 'past_due') setStatus(world, subscription, 'past_due');
  else if (final === 'unpaid') setStatus(world, subscription, 'unpaid');
  else endSubscription(world, subscription, 'payment_failed');
}
