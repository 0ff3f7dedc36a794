import type Stripe from 'stripe';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { DRAFT_SECONDS, draftInvoice } from './invoices.ts';
import { cardOf } from './payments.ts';
import { intervalOf, periodEnd } from './periods.ts';
import { periodLine } from './subscription-start.ts';
import { endSubscription, setStatus, updateSubscription } from './subscription-status.ts';

/** Begins the next period: new dates, a draft invoice for it, and out of the trial where there was one. */
export function renewSubscription(world: World, subscription: Stripe.Subscription): void {
  const customer = world.tables.customers.known(idOf(subscription.customer));
  if (subscription.cancel_at_period_end) {
    endSubscription(world, subscription, 'cancellation_requested');
    return;
  }
  const leavesTrial = subscription.status === 'trialing';
  const card = cardOf(world, customer, idOf(subscription.default_payment_method));
  if (leavesTrial && card === null && !mayStartUnpaid(world, subscription)) return;
  const [first] = subscription.items.data;
  if (first === undefined) throw new Error(`${subscription.id} has no items`);
  const previous = { start: first.current_period_start, end: first.current_period_end };
  const interval = intervalOf(first.price.recurring);
  if (interval === null) throw new Error(`${subscription.id} is priced once`);
  const next = {
    start: previous.end,
    end: periodEnd(subscription.billing_cycle_anchor, interval, previous.end),
  };
  const lines = subscription.items.data.map((item) => periodLine(world, item, next, false));
  const isUnpaid = subscription.status === 'unpaid';
  let invoice: Stripe.Invoice | undefined;
  updateSubscription(world, subscription, (row) => {
    for (const item of row.items.data) {
      item.current_period_start = next.start;
      item.current_period_end = next.end;
    }
    if (leavesTrial) row.status = 'active';
    invoice = draftInvoice(world, row, {
      reason: 'subscription_cycle',
      period: previous,
      lines,
      finalizesAt: isUnpaid ? null : next.start + DRAFT_SECONDS,
    });
  });
  if (invoice !== undefined) world.emit('invoice.created', invoice, world.scopeOf(customer.id));
}

/** What a trial without a card ends in: true when it goes on and is invoiced. */
export function mayStartUnpaid(world: World, subscription: Stripe.Subscription): boolean {
  const behaviour = subscription.trial_settings?.end_behavior.missing_payment_method ?? 'create_invoice';
  if (behaviour === 'cancel') {
    endSubscription(world, subscription, 'payment_failed');
    return false;
  }
  if (behaviour === 'pause') {
    setStatus(world, subscription, 'paused');
    world.emit('customer.subscription.paused', subscription, world.scopeOf(idOf(subscription.customer)));
    return false;
  }
  return true;
}
