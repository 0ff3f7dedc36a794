import type Stripe from 'stripe';
import { closeInvoice } from '../invoices/collect.ts';
import { planOf } from '../prices/price.ts';
import { idOf, newId } from '../state/ids.ts';
import type { World } from '../state/world.ts';

interface SubscriptionGiven {
  customer: string;
  price: Stripe.Price;
  /** The one it is billed in, of those that the price supports. */
  currency: string;
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
  paymentSettings?: Stripe.SubscriptionCreateParams.PaymentSettings;
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
    currency: given.currency,
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
      payment_method_types: given.paymentSettings?.payment_method_types || null,
      save_default_payment_method: given.paymentSettings?.save_default_payment_method ?? 'off',
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

/** Changes a subscription and says so with `customer.subscription.updated` and what was there before. */
export function updateSubscription(
  world: World,
  subscription: Stripe.Subscription,
  mutate: (subscription: Stripe.Subscription) => void,
): void {
  world.change(
    'customer.subscription.updated',
    subscription,
    world.scopeOf(idOf(subscription.customer)),
    mutate,
  );
}

export function setStatus(
  world: World,
  subscription: Stripe.Subscription,
  status: Stripe.Subscription.Status,
): void {
  updateSubscription(world, subscription, (row) => {
    row.status = status;
  });
}

/**
 * Ends it now, for good: `customer.subscription.deleted`, and its open invoices are no longer retried. One that
 * never began (`incomplete_expired`) is updated instead, and its invoice is void.
 */
export function endSubscription(
  world: World,
  subscription: Stripe.Subscription,
  reason: Stripe.Subscription.CancellationDetails.Reason,
  status: 'canceled' | 'incomplete_expired' = 'canceled',
): void {
  const scope = world.scopeOf(idOf(subscription.customer));
  const now = world.clock.now(scope);
  for (const invoice of world.tables.invoices.all()) {
    const owner = idOf(invoice.parent?.subscription_details?.subscription);
    if (owner !== subscription.id || (invoice.status !== 'draft' && invoice.status !== 'open')) continue;
    if (status === 'incomplete_expired' && invoice.status === 'open') closeInvoice(world, invoice, 'void');
    invoice.auto_advance = false;
    invoice.automatically_finalizes_at = null;
    invoice.next_payment_attempt = null;
  }
  const end = (row: Stripe.Subscription): void => {
    row.status = status;
    row.ended_at = now;
    row.canceled_at ??= now;
    if (row.cancellation_details !== null) row.cancellation_details.reason ??= reason;
  };
  cancelScheduleOf(world, world.tables.subscription_schedules.get(idOf(subscription.schedule)), reason);
  if (status === 'incomplete_expired') {
    updateSubscription(world, subscription, end);
    return;
  }
  end(subscription);
  world.emit('customer.subscription.deleted', subscription, scope);
}

/** Ends a schedule with its subscription; `aborted` if that ended because it was not paid. */
export function cancelScheduleOf(
  world: World,
  schedule: Stripe.SubscriptionSchedule | undefined,
  reason: Stripe.Subscription.CancellationDetails.Reason,
): void {
  if (schedule?.status !== 'active' && schedule?.status !== 'not_started') return;
  const scope = world.scopeOf(idOf(schedule.customer));
  schedule.status = 'canceled';
  schedule.canceled_at = world.clock.now(scope);
  schedule.current_phase = null;
  const type = reason === 'payment_failed' ? 'aborted' : 'canceled';
  world.emit(`subscription_schedule.${type}`, schedule, scope);
}

/** The end of what is paid for: the latest of the items' periods. */
export function currentPeriodEnd(subscription: Stripe.Subscription): number {
  return Math.max(...subscription.items.data.map((item) => item.current_period_end));
}

/** How a cancellation is asked for: the API's switch sets the boolean too, the portal and `cancel_at` only the time. */
type Scheduled = { at: number; byPeriodEndSwitch: boolean };

/** Writes a cancellation that has been asked for onto the subscription's row. */
export function writeCancellation(
  row: Stripe.Subscription,
  now: number,
  scheduled: Scheduled,
  details: { feedback?: string; comment?: string } = {},
): void {
  row.cancel_at = scheduled.at;
  row.cancel_at_period_end = scheduled.byPeriodEndSwitch;
  row.canceled_at = now;
  row.cancellation_details = {
    comment: details.comment ?? null,
    feedback: details.feedback ?? null,
    feedback_option: null,
    reason: 'cancellation_requested',
  };
}

/** Takes a scheduled cancellation off the subscription's row. */
export function eraseCancellation(row: Stripe.Subscription): void {
  row.cancel_at = null;
  row.cancel_at_period_end = false;
  row.canceled_at = null;
  row.cancellation_details = { comment: null, feedback: null, feedback_option: null, reason: null };
}

export function scheduleCancellation(
  world: World,
  subscription: Stripe.Subscription,
  scheduled: Scheduled,
): void {
  const now = world.nowFor(idOf(subscription.customer));
  updateSubscription(world, subscription, (row) => writeCancellation(row, now, scheduled));
}

/** Takes a scheduled cancellation back. */
export function keepSubscription(world: World, subscription: Stripe.Subscription): void {
  updateSubscription(world, subscription, eraseCancellation);
}
