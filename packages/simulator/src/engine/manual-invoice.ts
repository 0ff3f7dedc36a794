import type Stripe from 'stripe';
import { currencyGiven } from '../http/check-values.ts';
import { makeInvoice } from '../objects/invoice.ts';
import { mergedMetadata } from '../objects/metadata.ts';
import type { World } from '../state/world.ts';
import { DRAFT_SECONDS } from './invoices.ts';

/** A draft that is for no subscription, with the customer's waiting items on it where they are asked for. */
export function createInvoice(
  world: World,
  customer: Stripe.Customer,
  params: Stripe.InvoiceCreateParams,
): Stripe.Invoice {
  const now = world.nowFor(customer.id);
  const wanted = params.pending_invoice_items_behavior === 'include';
  const items = world.tables.invoice_items.filter(
    (row) => wanted && row.customer === customer.id && row.invoice === null,
  );
  const draft = makeInvoice(now, {
    subscription: {
      id: '',
      currency: items[0]?.currency ?? currencyGiven(params.currency ?? 'usd'),
      metadata: {},
      automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    },
    customer,
    reason: 'manual',
    period: { start: now, end: now },
    lines: [],
    items,
    finalizesAt: params.auto_advance === true ? now + DRAFT_SECONDS : null,
    discount: null,
  });
  const invoice = world.tables.invoices.insert({
    ...draft,
    description: params.description || null,
    metadata: mergedMetadata(null, params.metadata),
    parent: null,
  });
  for (const item of items) item.invoice = invoice.id;
  world.emit('invoice.created', invoice, world.scopeOf(customer.id));
  return invoice;
}
