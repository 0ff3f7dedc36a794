import type Stripe from 'stripe';
import { idOf, newId } from '../state/ids.ts';
import { wireDecimal } from './wire-decimal.ts';

/** A whole number as a decimal that travels. */
const wireWhole = (count: number) => wireDecimal(count) as Stripe.InvoiceItem['quantity_decimal'];

export interface InvoiceItemGiven {
  customer: Stripe.Customer;
  amount: number;
  currency: string;
  description: string | null;
  metadata: Record<string, string>;
}

/** An amount that waits for the customer's next invoice. */
export function makeInvoiceItem(now: number, given: InvoiceItemGiven): Stripe.InvoiceItem {
  return {
    id: newId('ii'),
    object: 'invoiceitem',
    amount: given.amount,
    currency: given.currency,
    customer: given.customer.id,
    customer_account: null,
    date: now,
    description: given.description,
    discountable: true,
    discounts: [],
    invoice: null,
    livemode: false,
    metadata: given.metadata,
    parent: null,
    period: { start: now, end: now },
    pricing: null,
    proration: false,
    quantity: 1,
    quantity_decimal: wireWhole(1),
    tax_rates: [],
    test_clock: idOf(given.customer.test_clock),
  };
}

/** The line that an item becomes. */
export function makeItemLine(invoice: string, item: Stripe.InvoiceItem): Stripe.InvoiceLineItem {
  return {
    id: newId('il'),
    object: 'line_item',
    amount: item.amount,
    currency: item.currency,
    description: item.description,
    discount_amounts: [],
    discountable: item.discountable,
    discounts: [],
    invoice,
    livemode: false,
    metadata: { ...item.metadata },
    parent: {
      invoice_item_details: {
        invoice_item: item.id,
        proration: false,
        proration_details: { credited_items: null },
        subscription: null,
      },
      subscription_item_details: null,
      type: 'invoice_item_details',
    },
    period: item.period,
    pretax_credit_amounts: [],
    pricing: null,
    quantity: item.quantity,
    quantity_decimal: wireWhole(item.quantity),
    subscription: null,
    subtotal: item.amount,
    taxes: [],
  };
}
