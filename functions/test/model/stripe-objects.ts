import type { Stripe } from 'stripe';
import { writeMetadata } from '../../src/stripe/fields.ts';
import { MODEL_PLANS } from './catalog.ts';
import type { PurchaseTruth, SubscriptionTruth } from './truth.ts';

/** The provider's objects, as its SDK types them, holding what this service could read. Times turn into seconds. */

export type Part<T> = T extends readonly (infer Item)[]
  ? Part<Item>[]
  : T extends object
    ? { [Key in keyof T]?: Part<T[Key]> }
    : T;

export const seconds = (millis: number): number => Math.floor(millis / 1000);

export function subscriptionMetadata(
  uid: string,
  { bought, currency }: SubscriptionTruth,
): Record<string, string> {
  const amount = MODEL_PLANS[bought].costs[currency];
  return writeMetadata({
    uid,
    kind: 'subscription',
    lookupKey: bought,
    priceId: `price_${bought}`,
    credits: 0,
    monthlyCredits: MODEL_PLANS[bought].monthlyCredits,
    entitlements: MODEL_PLANS[bought].grants,
    ...(currency !== 'usd' && { charged: { currency, amount } }),
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
    ...(purchase.kind === 'lifetime' && { entitlements: purchase.grants }),
  });
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

/** What a subscription's invoice was paid with. */
export function invoiceChargeOf(invoice: string): {
  readonly charge: string;
  readonly paymentIntent: string;
} {
  return { charge: invoice.replace(/^in_/, 'ch_'), paymentIntent: invoice.replace(/^in_/, 'pi_') };
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

/** @param amount minor units that are disputed */
export function disputeObject(
  id: string,
  { charge, paymentIntent }: { readonly charge: string; readonly paymentIntent: string },
  amount: number,
  status: Stripe.Dispute.Status,
) {
  return {
    id,
    object: 'dispute',
    amount,
    charge,
    currency: 'usd',
    livemode: false,
    metadata: {},
    payment_intent: paymentIntent,
    reason: 'fraudulent',
    status,
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
