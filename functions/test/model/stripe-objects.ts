import type { Stripe } from 'stripe';
import { writeMetadata } from '../../src/provider/metadata.ts';
import { MODEL_PLANS } from './catalog.ts';
import type { GrantTruth, PurchaseTruth, SubscriptionTruth } from './truth.ts';

/** The provider's objects, as its SDK types them, holding what this service could read. Times turn into seconds. */

type Part<T> = T extends readonly (infer Item)[]
  ? Part<Item>[]
  : T extends object
    ? { [Key in keyof T]?: Part<T[Key]> }
    : T;

const seconds = (millis: number): number => Math.floor(millis / 1000);

function subscriptionMetadata(uid: string, subscription: SubscriptionTruth): Record<string, string> {
  return writeMetadata({
    uid,
    kind: 'subscription',
    lookupKey: subscription.plan,
    priceId: `price_${subscription.plan}`,
    credits: 0,
    monthlyCredits: MODEL_PLANS[subscription.plan].monthlyCredits,
  });
}

function purchaseMetadata(uid: string, purchase: PurchaseTruth): Record<string, string> {
  return writeMetadata({
    uid,
    kind: purchase.kind,
    lookupKey: purchase.lookupKey,
    priceId: `price_${purchase.lookupKey}`,
    credits: purchase.credits,
    monthlyCredits: 0,
  });
}

export function subscriptionObject(uid: string, truth: SubscriptionTruth) {
  const { monthlyCredits } = MODEL_PLANS[truth.plan];
  return {
    id: truth.id,
    object: 'subscription',
    customer: truth.customer,
    status: truth.status,
    cancel_at: truth.cancel === 'no' ? null : seconds(truth.periodEnd),
    cancel_at_period_end: truth.cancel === 'flag',
    canceled_at: null,
    created: seconds(truth.createdAt),
    currency: 'usd',
    livemode: false,
    metadata: subscriptionMetadata(uid, truth),
    trial_start: truth.trialEnd === null ? null : seconds(truth.createdAt),
    trial_end: truth.trialEnd === null ? null : seconds(truth.trialEnd),
    items: {
      object: 'list',
      has_more: false,
      url: `/v1/subscription_items?subscription=${truth.id}`,
      data: [
        {
          id: `si_${truth.id}`,
          object: 'subscription_item',
          subscription: truth.id,
          quantity: 1,
          current_period_start: seconds(truth.periodStart),
          current_period_end: seconds(truth.periodEnd),
          metadata: {},
          price: {
            id: `price_${truth.plan}`,
            object: 'price',
            lookup_key: truth.plan,
            metadata: monthlyCredits > 0 ? { monthly_credits: String(monthlyCredits) } : {},
          },
        },
      ],
    },
  } satisfies Part<Stripe.Subscription>;
}

export interface InvoiceTruth extends GrantTruth {
  readonly reason: Stripe.Invoice.BillingReason;
  readonly periodEnd: number;
  readonly paid: number;
  readonly subscriptionTruth: SubscriptionTruth;
}

export function invoiceObject(uid: string, truth: InvoiceTruth) {
  const subscription = truth.subscriptionTruth;
  return {
    id: truth.invoice,
    object: 'invoice',
    customer: subscription.customer,
    created: seconds(truth.invoiceCreated),
    billing_reason: truth.reason,
    currency: 'usd',
    status: 'paid',
    amount_paid: truth.paid,
    amount_due: truth.paid,
    total: truth.paid,
    metadata: {},
    // Not the service period (notes on Stripe): a reader that takes these for it goes wrong here.
    period_start: seconds(truth.invoiceCreated),
    period_end: seconds(truth.invoiceCreated),
    parent: {
      type: 'subscription_details',
      quote_details: null,
      subscription_details: {
        subscription: subscription.id,
        metadata: subscriptionMetadata(uid, subscription),
      },
    },
    lines: {
      object: 'list',
      has_more: false,
      url: `/v1/invoices/${truth.invoice}/lines`,
      data: [
        {
          id: `il_${truth.invoice}`,
          object: 'line_item',
          amount: truth.paid,
          period: { start: seconds(truth.periodStart), end: seconds(truth.periodEnd) },
          pricing: {
            type: 'price_details',
            unit_amount_decimal: null,
            price_details: { price: `price_${subscription.plan}`, product: 'prod_model' },
          },
          parent: {
            type: 'subscription_item_details',
            invoice_item_details: null,
            subscription_item_details: {
              invoice_item: null,
              proration: truth.reason === 'subscription_update',
              proration_details: null,
              subscription: subscription.id,
              subscription_item: `si_${subscription.id}`,
            },
          },
          metadata: subscriptionMetadata(uid, subscription),
        },
      ],
    },
  } as const satisfies Part<Omit<Stripe.Invoice, 'lines'>> & { lines: unknown };
}

export function sessionObject(
  uid: string,
  sale:
    | {
        readonly purchase: PurchaseTruth;
        readonly session: string;
        readonly payment: Stripe.Checkout.Session.PaymentStatus;
      }
    | { readonly subscription: SubscriptionTruth; readonly session: string },
) {
  const isPurchase = 'purchase' in sale;
  const free = isPurchase && sale.purchase.id === sale.session;
  return {
    id: sale.session,
    object: 'checkout.session',
    client_reference_id: uid,
    currency: 'usd',
    customer: isPurchase ? sale.purchase.customer : sale.subscription.customer,
    metadata: isPurchase
      ? purchaseMetadata(uid, sale.purchase)
      : subscriptionMetadata(uid, sale.subscription),
    mode: isPurchase ? 'payment' : 'subscription',
    payment_intent: isPurchase && !free ? sale.purchase.id : null,
    payment_status: isPurchase ? sale.payment : 'paid',
    subscription: isPurchase ? null : sale.subscription.id,
    status: 'complete',
    amount_total: isPurchase ? sale.purchase.amount : 0,
  } satisfies Part<Stripe.Checkout.Session>;
}

export function chargeObject(uid: string, purchase: PurchaseTruth, refunded: number) {
  return {
    id: chargeOf(purchase),
    object: 'charge',
    amount: purchase.amount,
    amount_captured: purchase.amount,
    amount_refunded: refunded,
    captured: true,
    created: seconds(purchase.paidAt),
    currency: 'usd',
    customer: purchase.customer,
    livemode: false,
    metadata: purchaseMetadata(uid, purchase),
    paid: true,
    payment_intent: purchase.id,
    refunded: refunded >= purchase.amount,
    status: 'succeeded',
  } satisfies Part<Stripe.Charge>;
}

/** The charge of a subscription's invoice, which carries none of our metadata. */
export function invoiceChargeObject(id: string, customer: string) {
  return {
    id: `ch_${id}`,
    object: 'charge',
    amount: 1900,
    amount_refunded: 1900,
    currency: 'usd',
    customer,
    metadata: {},
    payment_intent: `pi_${id}`,
    refunded: true,
  } satisfies Part<Stripe.Charge>;
}

export function refundObject(purchase: PurchaseTruth, id: string, amount: number) {
  return {
    id,
    object: 'refund',
    amount,
    charge: chargeOf(purchase),
    currency: 'usd',
    customer: purchase.customer,
    failure_reason: 'expired_or_canceled_card',
    metadata: {},
    payment_intent: purchase.id,
    status: 'failed',
  } satisfies Part<Stripe.Refund>;
}

export function disputeObject(purchase: PurchaseTruth, id: string, outcome: 'open' | 'won' | 'lost') {
  return {
    id,
    object: 'dispute',
    amount: purchase.amount,
    charge: chargeOf(purchase),
    currency: 'usd',
    livemode: false,
    metadata: {},
    payment_intent: purchase.id,
    reason: 'fraudulent',
    status: outcome === 'open' ? 'needs_response' : outcome,
  } satisfies Part<Stripe.Dispute>;
}

export function customerObject(uid: string, id: string) {
  return {
    id,
    object: 'customer',
    livemode: false,
    metadata: { uid },
  } satisfies Part<Stripe.Customer>;
}

export function chargeOf(purchase: PurchaseTruth): string {
  return purchase.id.replace(/^pi_/, 'ch_');
}

/** One event as it goes over the wire. `created` has a resolution of one second. */
export function eventObject(id: string, type: string, createdAt: number, object: object): Stripe.Event {
  return {
    id,
    object: 'event',
    api_version: '2026-10-28.endive',
    created: seconds(createdAt),
    livemode: false,
    pending_webhooks: 1,
    request: null,
    type,
    data: { object },
  } as unknown as Stripe.Event;
}
