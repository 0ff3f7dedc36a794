import type Stripe from 'stripe';
import { makeProrationItem } from '../objects/invoice-item.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { collectAndFollowUp } from './dunning.ts';
import { draftInvoice, finalizeInvoice, waitingItems } from './invoices.ts';
import { unusedTime } from './proration.ts';
import { endSubscription } from './subscription-status.ts';

/** The credits for what a subscription will not use any more, not yet on record. */
export function unusedItems(world: World, subscription: Stripe.Subscription): Stripe.InvoiceItem[] {
  const customer = world.tables.customers.known(idOf(subscription.customer));
  const now = world.nowFor(customer.id);
  if (subscription.status === 'trialing') return [];
  return subscription.items.data.flatMap((item) => {
    const credit = unusedTime(world, subscription, item, now);
    return credit === null ? [] : [makeProrationItem(now, customer, subscription.currency, credit)];
  });
}

/** Ends a subscription now; with a credit for the unused time and a last invoice, where these are asked for. */
export function cancelNow(
  world: World,
  subscription: Stripe.Subscription,
  { prorates, invoices }: { prorates: boolean; invoices: boolean },
): void {
  const scope = world.scopeOf(idOf(subscription.customer));
  for (const item of prorates ? unusedItems(world, subscription) : []) {
    world.tables.invoice_items.insert(item);
    world.emit('invoiceitem.created', item, scope);
  }
  const last = invoices && waitingItems(world, subscription).length > 0;
  const now = world.clock.now(scope);
  const draft = last
    ? draftInvoice(world, subscription, {
        reason: 'manual',
        period: { start: now, end: now },
        lines: [],
        finalizesAt: null,
      })
    : null;
  endSubscription(world, subscription, 'cancellation_requested');
  if (draft === null) return;
  world.emit('invoice.created', draft, scope);
  finalizeInvoice(world, draft);
  collectAndFollowUp(world, draft, { presence: 'away' });
}
