import type Stripe from 'stripe';
import { wireDecimal } from '../prices/price.ts';
import { idOf, newId } from '../state/ids.ts';
import { makeItemLine } from './items.ts';

export interface LineGiven {
  amount: number;
  description: string;
  price: Stripe.Price;
  quantity: number;
  period: { start: number; end: number };
  subscriptionItem: string;
  proration: boolean;
}

/** What an invoice takes from the subscription that it bills. */
type BilledSubscription = Pick<Stripe.Subscription, 'id' | 'currency' | 'metadata' | 'automatic_tax'>;

function makeLine(
  invoice: string,
  subscription: BilledSubscription,
  given: LineGiven,
): Stripe.InvoiceLineItem {
  return {
    id: newId('il'),
    object: 'line_item',
    amount: given.amount,
    currency: subscription.currency,
    description: given.description,
    discount_amounts: [],
    discountable: !given.proration,
    discounts: [],
    invoice,
    livemode: false,
    metadata: { ...subscription.metadata },
    parent: {
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration: given.proration,
        proration_details: { credited_items: null },
        subscription: subscription.id,
        subscription_item: given.subscriptionItem,
      },
      type: 'subscription_item_details',
    },
    period: given.period,
    pretax_credit_amounts: [],
    pricing: {
      price_details: { price: given.price.id, product: idOf(given.price.product) ?? '' },
      type: 'price_details',
      unit_amount_decimal: wireDecimal(given.quantity === 0 ? 0 : given.amount / given.quantity),
    },
    quantity: given.quantity,
    quantity_decimal: wireDecimal(given.quantity),
    subscription: subscription.id,
    subtotal: given.amount,
    taxes: [],
  };
}

interface InvoiceGiven {
  /** For a preview, which is no invoice yet. */
  id?: string;
  /** The account's name. */
  merchant: string;
  subscription: BilledSubscription;
  customer: Stripe.Customer;
  reason: Stripe.Invoice.BillingReason;
  period: { start: number; end: number };
  lines: LineGiven[];
  /** What waited for this invoice; stands before its own lines. */
  items: Stripe.InvoiceItem[];
  /** When the draft finalises by itself; null for one that does not. */
  finalizesAt: number | null;
  /** What a coupon takes off the whole. */
  discount: { discount: string; amount: number } | null;
}

/** Writes down on each discountable line its share of what a coupon takes off; the last takes the rest. */
function shareDiscount(lines: Stripe.InvoiceLineItem[], discount: InvoiceGiven['discount']): void {
  const discountable = lines.filter((line) => line.discountable && line.amount > 0);
  const whole = discountable.reduce((sum, line) => sum + line.amount, 0);
  if (discount === null || whole === 0) return;
  let left = discount.amount;
  for (const [index, line] of discountable.entries()) {
    const isLast = index === discountable.length - 1;
    const amount = isLast ? left : Math.round((discount.amount * line.amount) / whole);
    left -= amount;
    line.discount_amounts = [{ amount, discount: discount.discount }];
  }
}

/** A draft; finalising gives it its number and makes its metadata snapshot final. */
export function makeInvoice(now: number, given: InvoiceGiven): Stripe.Invoice {
  const id = given.id ?? newId('in');
  const { subscription, customer } = given;
  const lines = [
    ...given.items.map((item) => makeItemLine(id, item)),
    ...given.lines.map((line) => makeLine(id, subscription, line)),
  ];
  const subtotal = lines.reduce((sum, line) => sum + line.amount, 0);
  shareDiscount(lines, given.discount);
  const total = subtotal - (given.discount?.amount ?? 0);
  const balance = customer.balance ?? 0;
  const due = Math.max(0, total + balance);
  return {
    id,
    object: 'invoice',
    account_country: 'US',
    account_name: given.merchant,
    account_tax_ids: null,
    amount_due: due,
    amount_overpaid: 0,
    amount_paid: 0,
    amount_paid_off_stripe: 0,
    amount_remaining: due,
    amount_shipping: 0,
    application: null,
    attempt_count: 0,
    attempted: false,
    auto_advance: given.finalizesAt !== null,
    automatic_tax: {
      disabled_reason: null,
      enabled: subscription.automatic_tax.enabled,
      liability: subscription.automatic_tax.enabled ? { type: 'self' } : null,
      provider: subscription.automatic_tax.enabled ? 'stripe' : null,
      status: subscription.automatic_tax.enabled ? 'complete' : null,
    },
    automatically_finalizes_at: given.finalizesAt,
    billing_reason: given.reason,
    collection_method: 'charge_automatically',
    created: now,
    currency: subscription.currency,
    custom_fields: customer.invoice_settings.custom_fields,
    customer: customer.id,
    customer_account: null,
    customer_address: customer.address ?? null,
    customer_email: customer.email,
    customer_name: customer.name ?? null,
    customer_phone: customer.phone ?? null,
    customer_shipping: customer.shipping,
    customer_tax_exempt: 'none',
    customer_tax_ids: [],
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: given.discount === null ? [] : [given.discount.discount],
    due_date: null,
    effective_at: null,
    ending_balance: null,
    footer: customer.invoice_settings.footer,
    from_invoice: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    issuer: { type: 'self' },
    last_finalization_error: null,
    latest_revision: null,
    lines: {
      object: 'list',
      data: lines,
      has_more: false,
      url: `/v1/invoices/${id}/lines`,
    },
    livemode: false,
    metadata: {},
    next_payment_attempt: given.finalizesAt,
    number: null,
    on_behalf_of: null,
    parent: {
      quote_details: null,
      subscription_details: { metadata: { ...subscription.metadata }, subscription: subscription.id },
      type: 'subscription_details',
    },
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: given.period.end,
    period_start: given.period.start,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: balance,
    statement_descriptor: null,
    status: 'draft',
    status_transitions: { finalized_at: null, marked_uncollectible_at: null, paid_at: null, voided_at: null },
    subtotal,
    subtotal_excluding_tax: subtotal,
    test_clock: idOf(customer.test_clock),
    total,
    total_discount_amounts: given.discount === null ? [] : [given.discount],
    total_excluding_tax: total,
    total_pretax_credit_amounts: [],
    total_taxes: [],
    webhooks_delivered_at: null,
  };
}

export function makeInvoicePayment(
  now: number,
  invoice: Stripe.Invoice,
  intent: string,
): Stripe.InvoicePayment {
  return {
    id: newId('inpay'),
    object: 'invoice_payment',
    amount_paid: null,
    amount_requested: invoice.amount_due,
    created: now,
    currency: invoice.currency,
    invoice: invoice.id,
    is_default: true,
    livemode: false,
    payment: { payment_intent: intent, type: 'payment_intent' },
    status: 'open',
    status_transitions: { canceled_at: null, paid_at: null },
  };
}
