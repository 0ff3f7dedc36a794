import type Stripe from 'stripe';
import { wireDecimal } from '../prices/price.ts';
import { idOf, newId } from '../state/ids.ts';

/** A whole number as a decimal that travels. */
const wireWhole = (count: number) => wireDecimal(count) as Stripe.InvoiceItem['quantity_decimal'];

export interface InvoiceItemGiven {
  customer: Stripe.Customer;
  amount: number;
  currency: string;
  description: string | null;
  metadata: Record<string, string>;
}

/** Part of a period that a change of a subscription gives back (negative) or bills (positive). */
export interface Proration {
  amount: number;
  description: string;
  price: Stripe.Price;
  quantity: number;
  period: { start: number; end: number };
  subscription: string;
  subscriptionItem: string;
  /** The debit that a credit gives back a part of. */
  credited: Stripe.InvoiceItem.ProrationDetails.CreditedItems | null;
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

/** A proration that waits for the subscription's next invoice. */
export function makeProrationItem(
  now: number,
  customer: Stripe.Customer,
  currency: string,
  given: Proration,
): Stripe.InvoiceItem {
  const { amount, description, price, quantity, period, credited } = given;
  return {
    ...makeInvoiceItem(now, { customer, amount, currency, description, metadata: {} }),
    discountable: false,
    parent: {
      subscription_details: {
        subscription: given.subscription,
        subscription_item: given.subscriptionItem,
      },
      type: 'subscription_details',
    },
    period,
    pricing: {
      price_details: { price: price.id, product: idOf(price.product) ?? '' },
      type: 'price_details',
      unit_amount_decimal: wireDecimal(quantity === 0 ? 0 : amount / quantity),
    },
    proration: true,
    proration_details: { credited_items: credited, discount_amounts: [] },
    quantity,
    quantity_decimal: wireWhole(quantity),
  };
}

function parentOfLine(item: Stripe.InvoiceItem): Stripe.InvoiceLineItem.Parent {
  const details = item.parent?.subscription_details;
  const credited = item.proration_details?.credited_items?.invoice_line_item_details ?? null;
  if (!details?.subscription_item)
    return {
      invoice_item_details: {
        invoice_item: item.id,
        proration: item.proration,
        proration_details: { credited_items: null },
        subscription: details?.subscription ?? null,
      },
      subscription_item_details: null,
      type: 'invoice_item_details',
    };
  return {
    invoice_item_details: null,
    subscription_item_details: {
      invoice_item: item.id,
      proration: item.proration,
      proration_details: { credited_items: credited },
      subscription: details.subscription,
      subscription_item: details.subscription_item,
    },
    type: 'subscription_item_details',
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
    parent: parentOfLine(item),
    period: item.period,
    pretax_credit_amounts: [],
    pricing: item.pricing as Stripe.InvoiceLineItem['pricing'],
    quantity: item.quantity,
    quantity_decimal: wireWhole(item.quantity),
    subscription: item.parent?.subscription_details?.subscription ?? null,
    subtotal: item.amount,
    taxes: [],
  };
}
