import type { Stripe } from 'stripe';
import { writePrices } from '../../src/stripe/fields.ts';
import type { InvoiceExtras } from './action.ts';
import { ADD_ON_COSTS, MODEL_PLANS, type PlanName } from './catalog.ts';
import { type Part, seconds, subscriptionMetadata } from './stripe-objects.ts';
import type { GrantTruth, SubscriptionTruth } from './truth.ts';

/** The price of a plan as the provider has it. */
export function priceObject(plan: PlanName) {
  const { monthlyCredits, grants, interval, costs, ...how } = MODEL_PLANS[plan];
  const { usd, ...others } = costs;
  return {
    id: `price_${plan}`,
    object: 'price',
    lookup_key: plan,
    ...perPeriod(interval, usd),
    metadata: {
      ...(!('byHand' in how) && { prices: writePrices(others) }),
      ...(monthlyCredits > 0 && { monthly_credits: String(monthlyCredits) }),
      entitlements: ['paid', ...grants].join(','),
    },
  } satisfies Part<Stripe.Price>;
}

/** What it costs each time, in its own currency. */
function perPeriod(interval: 'month' | 'year', unit_amount: number) {
  const recurring = { interval, interval_count: 1, usage_type: 'licensed' } as const;
  return { currency: 'usd', unit_amount, billing_scheme: 'per_unit', recurring } as const;
}

/** Something else that the owner sells by the period. It grants nothing. */
export const ADD_ON = {
  id: 'price_addon',
  object: 'price',
  lookup_key: null,
  metadata: {},
  ...perPeriod('month', ADD_ON_COSTS.usd),
} as const;

export function subscriptionObject(uid: string, truth: SubscriptionTruth) {
  const item = {
    object: 'subscription_item',
    subscription: truth.id,
    quantity: truth.quantity,
    current_period_start: seconds(truth.periodStart),
    current_period_end: seconds(truth.periodEnd),
    metadata: {},
  } as const;
  const service = { ...item, id: `si_${truth.id}`, price: priceObject(truth.plan) };
  return {
    id: truth.id,
    object: 'subscription',
    customer: truth.customer,
    status: truth.status,
    cancel_at: truth.cancel === 'no' ? null : seconds(truth.periodEnd),
    cancel_at_period_end: truth.cancel === 'flag',
    canceled_at: null,
    created: seconds(truth.createdAt),
    currency: truth.currency,
    discounts: truth.discounted ? [`di_${truth.id}`] : [],
    schedule: truth.schedule?.id ?? null,
    livemode: false,
    metadata: subscriptionMetadata(uid, truth),
    pause_collection: truth.pause && {
      behavior: truth.pause.behavior,
      resumes_at: truth.pause.resumesAt === null ? null : seconds(truth.pause.resumesAt),
    },
    trial_start: truth.trialEnd === null ? null : seconds(truth.createdAt),
    trial_end: truth.trialEnd === null ? null : seconds(truth.trialEnd),
    items: {
      object: 'list',
      has_more: false,
      url: `/v1/subscription_items?subscription=${truth.id}`,
      data: truth.addOn ? [{ ...item, id: `si_addon_${truth.id}`, price: ADD_ON }, service] : [service],
    },
  } satisfies Part<Stripe.Subscription>;
}

/** The same with its schedule and the prices of that, as a question may ask for them. */
export function subscriptionWithPhases(uid: string, truth: SubscriptionTruth) {
  const { schedule, plan, quantity, addOn } = truth;
  const subscription = subscriptionObject(uid, truth);
  if (schedule === null) return subscription;
  const added = addOn ? [{ price: ADD_ON, quantity }] : [];
  const phase = (start: number, name: PlanName, count: number) => ({
    start_date: seconds(start),
    items: [...added, { price: priceObject(name), quantity: count }],
  });
  const now = phase(schedule.isReached ? schedule.at : truth.periodStart, plan, quantity);
  const phases = schedule.isReached ? [now] : [now, phase(schedule.at, schedule.plan, schedule.quantity)];
  const current_phase = { start_date: now.start_date, end_date: seconds(truth.periodEnd) };
  return { ...subscription, schedule: { id: schedule.id, status: 'active', current_phase, phases } };
}

export interface InvoiceTruth extends GrantTruth {
  readonly reason: Stripe.Invoice.BillingReason;
  readonly periodEnd: number;
  /** It pays for a whole period. */
  readonly whole: boolean;
  readonly extras: InvoiceExtras;
  readonly subscriptionTruth: SubscriptionTruth;
  /** How it was before, if a change within the period is paid for. */
  readonly from?: SubscriptionTruth;
}

/** An invoice with all of its lines; an event carries the first ten. */
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
      data: linesOf(uid, truth),
    },
  } as const satisfies Part<Omit<Stripe.Invoice, 'lines'>> & { lines: unknown };
}

/** What counts stands last: a reader that takes the first line, or the latest, goes wrong here. */
function linesOf(uid: string, truth: InvoiceTruth): readonly object[] {
  const { subscriptionTruth, reason, whole, extras } = truth;
  const later = truth.periodStart + 3_600_000;
  const period = { start: seconds(truth.periodStart), end: seconds(truth.periodEnd) };
  const service = {
    ...lineObject(`price_${subscriptionTruth.plan}`, period, subscriptionTruth.quantity),
    id: `il_${truth.invoice}`,
    amount: truth.paid,
    metadata: subscriptionMetadata(uid, subscriptionTruth),
  };
  const once = { ...lineObject('price_once', { start: seconds(later), end: seconds(later) }, 1) };
  if (reason === 'manual') return [{ ...once, parent: itemParent(subscriptionTruth, false) }];
  const addOn = lineObject(ADD_ON.id, { start: seconds(later), end: period.end }, 1);
  const parent = subscriptionParent(subscriptionTruth, false);
  const extra = { none: 0, one_off: 1, many: 11 }[extras];
  return [
    ...Array.from({ length: extra }, () => ({ ...once, parent: itemParent(subscriptionTruth, false) })),
    ...(reason === 'subscription_update'
      ? [
          ...(truth.from === undefined ? [] : [restOf(truth.from, period)]),
          { ...service, parent: itemParent(subscriptionTruth, true) },
        ]
      : []),
    ...(subscriptionTruth.addOn && whole ? [{ ...addOn, parent }] : []),
    ...(whole ? [{ ...service, parent }] : []),
  ];
}

/** What is left of the earlier plan is credited. */
function restOf(from: SubscriptionTruth, period: { start: number; end: number }) {
  const line = lineObject(`price_${from.plan}`, period, from.quantity);
  return { ...line, amount: -100, parent: itemParent(from, true) };
}

function lineObject(price: string, period: { start: number; end: number }, quantity: number) {
  const priced = { price, product: 'prod_model' };
  const pricing = { type: 'price_details', unit_amount_decimal: null, price_details: priced };
  return { object: 'line_item', period, quantity, pricing, metadata: {} };
}

function subscriptionParent(subscription: SubscriptionTruth, proration: boolean) {
  const details = { subscription: subscription.id, subscription_item: `si_${subscription.id}`, proration };
  return {
    type: 'subscription_item_details',
    invoice_item_details: null,
    subscription_item_details: details,
  };
}

function itemParent(subscription: SubscriptionTruth, proration: boolean) {
  const details = { invoice_item: `ii_${subscription.id}`, subscription: subscription.id, proration };
  return { type: 'invoice_item_details', invoice_item_details: details, subscription_item_details: null };
}
