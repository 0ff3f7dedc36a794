import type Stripe from 'stripe';
import { invalidRequest } from '../http/errors.ts';
import { DRAFT_SECONDS, draftInvoice } from '../invoices/collect.ts';
import type { LineGiven } from '../invoices/invoice.ts';
import { formatMoney } from '../pages/money.js';
import { cardOf } from '../payments/attempt.ts';
import { amountIn } from '../prices/currencies.ts';
import { discountSubscription, type Redeemed } from '../prices/discounts.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { intervalOf, periodEnd } from './periods.ts';
import {
  applyPhase,
  completeSchedule,
  followSchedule,
  phaseBeginningAt,
  scheduleEndingAt,
} from './schedules.ts';
import {
  currentPeriodEnd,
  endSubscription,
  makeSubscription,
  setStatus,
  updateSubscription,
} from './subscription.ts';

interface StartGiven {
  customer: Stripe.Customer;
  price: Stripe.Price;
  /** The one it is billed in, of those that the price supports. */
  currency: string;
  quantity: number;
  trialEnd: number | null;
  metadata: Record<string, string>;
  itemMetadata: Record<string, string>;
  description: string | null;
  paymentSettings?: Stripe.SubscriptionCreateParams.PaymentSettings;
  paymentMethod: string | null;
  missingPaymentMethod: Stripe.Subscription.TrialSettings.EndBehavior.MissingPaymentMethod;
  automaticTax: boolean;
  billingMode: Stripe.Subscription.BillingMode.Type;
  /** Status at first when there is no trial: Checkout has already been paid, the API's create has not. */
  statusWithoutTrial: 'active' | 'incomplete';
  discount: Redeemed | null;
  session: string | null;
}

/** What one period of an item costs, as an invoice's line. */
export function periodLine(
  world: World,
  item: Stripe.SubscriptionItem,
  currency: string,
  period: { start: number; end: number },
  isTrial: boolean,
): LineGiven {
  const product = world.tables.products.get(idOf(item.price.product));
  const quantity = item.quantity ?? 1;
  // "2 × Premium", or with the product's unit label "2 user × Premium": as recorded.
  const unitLabel = product?.unit_label ? ` ${product.unit_label}` : '';
  const sold = `${quantity}${unitLabel} × ${product?.name ?? 'Subscription'}`;
  const unit = amountIn(world, item.price, currency);
  const each = `${formatMoney(unit, currency)} / ${item.price.recurring?.interval ?? 'month'}`;
  return {
    amount: isTrial ? 0 : unit * quantity,
    description: isTrial ? `Free trial for ${sold}` : `${sold} (at ${each})`,
    price: item.price,
    quantity,
    period,
    subscriptionItem: item.id,
    proration: false,
  };
}

/**
 * A subscription and the draft of its first invoice ($0 when it begins with a trial). Emits
 * `customer.subscription.created` and `invoice.created`.
 */
export function startSubscription(
  world: World,
  given: StartGiven,
): { subscription: Stripe.Subscription; invoice: Stripe.Invoice } {
  const interval = intervalOf(given.price.recurring);
  if (interval === null)
    throw invalidRequest(
      'The price specified is set to `type=one_time` but this field only accepts prices with `type=recurring`.',
      'items[0][price]',
    );
  const scope = world.scopeOf(given.customer.id);
  const now = world.clock.now(scope);
  const trial = given.trialEnd;
  const end = trial ?? periodEnd(now, interval, now);
  const subscription = world.tables.subscriptions.insert(
    makeSubscription(now, {
      ...given,
      customer: given.customer.id,
      periodStart: now,
      periodEnd: end,
      status: trial === null ? given.statusWithoutTrial : 'trialing',
      testClock: scope,
    }),
  );
  for (const row of subscription.items.data) row.metadata = { ...given.itemMetadata };
  if (given.discount !== null) discountSubscription(world, subscription, given.discount, given.session);
  given.customer.currency = given.currency;
  const invoice = draftInvoice(world, subscription, {
    reason: 'subscription_create',
    period: { start: now, end: now },
    lines: subscription.items.data.map((item) =>
      periodLine(world, item, given.currency, { start: now, end }, trial !== null),
    ),
    finalizesAt: null,
  });
  world.emit('customer.subscription.created', subscription, scope);
  world.emit('invoice.created', invoice, scope);
  return { subscription, invoice };
}

/** Begins the next period: new dates, a draft invoice for it, and out of the trial where there was one. */
export function renewSubscription(world: World, subscription: Stripe.Subscription): void {
  const customer = world.tables.customers.known(idOf(subscription.customer));
  const ending = scheduleEndingAt(world, subscription, currentPeriodEnd(subscription));
  if (ending !== null) completeSchedule(world, ending);
  if (subscription.cancel_at_period_end || ending !== null) {
    endSubscription(world, subscription, 'cancellation_requested');
    return;
  }
  const leavesTrial = subscription.status === 'trialing';
  const card = cardOf(world, customer, idOf(subscription.default_payment_method));
  if (leavesTrial && card === null && !mayStartUnpaid(world, subscription)) return;
  const [first] = subscription.items.data;
  if (first === undefined) throw new Error(`${subscription.id} has no items`);
  const previous = { start: first.current_period_start, end: first.current_period_end };
  const phase = phaseBeginningAt(world, subscription, previous.end);
  const isUnpaid = subscription.status === 'unpaid';
  let invoice: Stripe.Invoice | undefined;
  updateSubscription(world, subscription, (row) => {
    const anchor = row.billing_cycle_anchor;
    if (phase !== null) applyPhase(world, row, phase);
    const interval = intervalOf(first.price.recurring);
    if (interval === null) throw new Error(`${row.id} is priced once`);
    const next = { start: previous.end, end: periodEnd(row.billing_cycle_anchor, interval, previous.end) };
    const lines = row.items.data.map((item) => periodLine(world, item, row.currency, next, false));
    for (const item of row.items.data) {
      item.current_period_start = next.start;
      item.current_period_end = next.end;
    }
    if (leavesTrial) row.status = 'active';
    invoice = draftInvoice(world, row, {
      reason: row.billing_cycle_anchor === anchor ? 'subscription_cycle' : 'subscription_update',
      period: previous,
      lines,
      finalizesAt: isUnpaid ? null : next.start + DRAFT_SECONDS,
    });
  });
  followSchedule(world, subscription, phase);
  if (invoice !== undefined) world.emit('invoice.created', invoice, world.scopeOf(customer.id));
}

/** What a trial without a card ends in: true when it goes on and is invoiced. */
export function mayStartUnpaid(world: World, subscription: Stripe.Subscription): boolean {
  const behaviour = subscription.trial_settings?.end_behavior.missing_payment_method ?? 'create_invoice';
  if (behaviour === 'cancel') {
    endSubscription(world, subscription, 'payment_failed');
    return false;
  }
  if (behaviour === 'pause') {
    setStatus(world, subscription, 'paused');
    world.emit('customer.subscription.paused', subscription, world.scopeOf(idOf(subscription.customer)));
    return false;
  }
  return true;
}
