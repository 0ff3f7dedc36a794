import type Stripe from 'stripe';
import { newId } from '../state/ids.ts';
import { planOf } from './price.ts';

export interface SubscriptionGiven {
  customer: string;
  price: Stripe.Price;
  quantity: number;
  periodStart: number;
  periodEnd: number;
  trialEnd: number | null;
  status: Stripe.Subscription.Status;
  metadata: Record<string, string>;
  paymentMethod: string | null;
  missingPaymentMethod: Stripe.Subscription.TrialSettings.EndBehavior.MissingPaymentMethod;
  automaticTax: boolean;
  testClock: string | null;
  billingMode: Stripe.Subscription.BillingMode.Type;
  description: string | null;
}

function makeSubscriptionItem(
  now: number,
  given: Pick<SubscriptionGiven, 'price' | 'quantity' | 'periodStart' | 'periodEnd'> & {
    subscription: string;
  },
): Stripe.SubscriptionItem {
  return {
    id: newId('si', 14),
    object: 'subscription_item',
    billing_thresholds: null,
    created: now,
    current_period_end: given.periodEnd,
    current_period_start: given.periodStart,
    current_trial: null,
    discounts: [],
    metadata: {},
    plan: planOf(given.price),
    price: given.price,
    quantity: given.quantity,
    subscription: given.subscription,
    tax_rates: [],
  };
}

export function makeSubscription(now: number, given: SubscriptionGiven): Stripe.Subscription {
  const id = newId('sub');
  return {
    id,
    object: 'subscription',
    application: null,
    application_fee_percent: null,
    automatic_tax: {
      disabled_reason: null,
      enabled: given.automaticTax,
      liability: given.automaticTax ? { type: 'self' } : null,
    },
    billing_cycle_anchor: given.trialEnd ?? given.periodStart,
    billing_cycle_anchor_config: null,
    billing_mode: { flexible: null, type: given.billingMode, updated_at: now },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    collection_method: 'charge_automatically',
    created: now,
    currency: given.price.currency,
    customer: given.customer,
    customer_account: null,
    days_until_due: null,
    default_payment_method: given.paymentMethod,
    default_source: null,
    default_tax_rates: [],
    description: given.description,
    discounts: [],
    ended_at: null,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: 'self' },
    },
    items: {
      object: 'list',
      data: [makeSubscriptionItem(now, { ...given, subscription: id })],
      has_more: false,
      url: `/v1/subscription_items?subscription=${id}`,
    },
    latest_invoice: null,
    livemode: false,
    managed_payments: null,
    metadata: given.metadata,
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: 'off',
    },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: now,
    status: given.status,
    test_clock: given.testClock,
    transfer_data: null,
    trial_end: given.trialEnd,
    trial_settings: {
      end_behavior: { billing_cycle_anchor: null, missing_payment_method: given.missingPaymentMethod },
    },
    trial_start: given.trialEnd === null ? null : now,
  };
}
