import type Stripe from 'stripe';
import { invalidRequest, StripeApiError } from '../http/errors.ts';
import { discountOn } from '../prices/discounts.ts';
import { idOf, newId } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { unusedItems } from '../subscriptions/change.ts';
import { intervalOf, periodEnd } from '../subscriptions/periods.ts';
import { periodLine } from '../subscriptions/start.ts';
import { currentPeriodEnd, makeSubscription } from '../subscriptions/subscription.ts';
import { applySwitch, planSwitch, prorationItems, switchAsked } from '../subscriptions/switch.ts';
import { DRAFT_SECONDS, waitingItems } from './collect.ts';
import { type LineGiven, makeInvoice } from './invoice.ts';

type Params = Stripe.InvoiceCreatePreviewParams;

/** What an invoice that is not made yet would hold. */
interface Upcoming {
  subscription: Stripe.Subscription;
  at: number;
  period: { start: number; end: number };
  items: Stripe.InvoiceItem[];
  lines: LineGiven[];
  isBilledNow: boolean;
}

function noUpcoming(customer: string): StripeApiError {
  return new StripeApiError(404, {
    code: 'invoice_upcoming_none',
    doc_url: 'https://stripe.com/docs/error-codes/invoice-upcoming-none',
    message: `No upcoming invoices for customer: '${customer}'`,
    type: 'invalid_request_error',
  });
}

/** The line of the period after the current one. */
function nextPeriodLines(world: World, row: Stripe.Subscription): LineGiven[] {
  return row.items.data.map((item) => {
    const interval = intervalOf(item.price.recurring);
    if (interval === null) throw new Error(`${item.price.id} is priced once`);
    const start = item.current_period_end;
    return periodLine(
      world,
      item,
      row.currency,
      { start, end: periodEnd(row.billing_cycle_anchor, interval, start) },
      false,
    );
  });
}

/** The next invoice of a subscription, as it would be after the change that is asked for. */
function upcomingAfter(world: World, subscription: Stripe.Subscription, params: Params): Upcoming {
  const change = params.subscription_details ?? {};
  const asked = switchAsked(world, subscription, change);
  const planned = asked === null ? null : planSwitch(world, subscription, asked);
  const row = structuredClone(subscription);
  if (planned !== null) applySwitch(row, planned);
  const now = world.nowFor(idOf(subscription.customer));
  const isRecurringOnly = params.preview_mode === 'recurring';
  const prorations = planned === null ? [] : prorationItems(world, subscription, planned);
  const items = isRecurringOnly ? [] : [...waitingItems(world, subscription), ...prorations];
  if (change.cancel_now === true) {
    const unused = change.proration_behavior === 'none' ? [] : unusedItems(world, subscription);
    const period = { start: now, end: now };
    return { subscription: row, at: now, period, items: [...items, ...unused], lines: [], isBilledNow: true };
  }
  if (planned?.isBilledNow === true && !isRecurringOnly) {
    const lines = planned.line === null ? [] : [planned.line];
    const period = { start: now, end: now };
    return { subscription: row, at: now, period, items, lines, isBilledNow: true };
  }
  const end = currentPeriodEnd(row);
  const at = change.cancel_at_period_end === true ? end : (change.cancel_at ?? row.cancel_at);
  const keeps = change.cancel_at_period_end === false || at === '';
  const isEnding = !keeps && at !== null && (typeof at === 'number' ? at <= end : true);
  const start = Math.min(...row.items.data.map((item) => item.current_period_start));
  const lines = isEnding ? [] : nextPeriodLines(world, row);
  return { subscription: row, at: end, period: { start, end }, items, lines, isBilledNow: false };
}

/** The first invoice of a subscription that does not exist yet. */
function upcomingOfNew(world: World, customer: Stripe.Customer, params: Params): Upcoming {
  const change = params.subscription_details ?? {};
  const [given, ...more] = change.items ?? [];
  if (given?.price === undefined || more.length > 0)
    throw invalidRequest(
      'The simulator previews subscriptions with one item: name it by `subscription_details[items][0][price]`.',
      'subscription_details[items]',
    );
  const price = world.tables.prices.named(given.price, 'subscription_details[items][0][price]');
  const interval = intervalOf(price.recurring);
  if (interval === null)
    throw invalidRequest(
      'The price specified is set to `type=one_time` but this field only accepts prices with `type=recurring`.',
      'subscription_details[items][0][price]',
    );
  const now = world.nowFor(customer.id);
  const trialEnd = typeof change.trial_end === 'number' ? change.trial_end : null;
  const row = makeSubscription(now, {
    customer: customer.id,
    price,
    currency: price.currency,
    quantity: given.quantity ?? 1,
    periodStart: now,
    periodEnd: trialEnd ?? periodEnd(now, interval, now),
    trialEnd,
    status: trialEnd === null ? 'active' : 'trialing',
    metadata: {},
    paymentMethod: null,
    missingPaymentMethod: 'create_invoice',
    automaticTax: false,
    testClock: idOf(customer.test_clock),
    billingMode: 'flexible',
    description: null,
  });
  const lines = row.items.data.map((item) => {
    const period = { start: item.current_period_start, end: item.current_period_end };
    return periodLine(world, item, row.currency, period, trialEnd !== null);
  });
  const period = { start: now, end: now };
  return { subscription: row, at: now, period, items: [], lines, isBilledNow: true };
}

/** The subscription that a preview is about: the named one, or the customer's that is billed next. */
function subscriptionMeant(world: World, params: Params): Stripe.Subscription | null {
  if (params.subscription !== undefined)
    return world.tables.subscriptions.named(params.subscription, 'subscription');
  if (params.subscription_details?.items !== undefined) return null;
  const live = world.tables.subscriptions
    .filter((row) => row.customer === params.customer && row.ended_at === null)
    .sort((one, other) => currentPeriodEnd(one) - currentPeriodEnd(other));
  const [next] = live;
  if (next === undefined) throw noUpcoming(params.customer ?? '');
  return next;
}

/**
 * The invoice that would come next, with the change that the request describes (`POST /v1/invoices/create_preview`).
 * Nothing is kept of it; the same change asked for with the same `proration_date` has the same lines.
 * @throws StripeApiError 404 `invoice_upcoming_none` where nothing would be billed.
 */
export function previewInvoice(world: World, params: Params): Stripe.Invoice {
  if (params.subscription === undefined && params.customer === undefined)
    throw invalidRequest(
      'You must pass either `customer` or `subscription`.',
      'customer',
      'parameter_missing',
    );
  const subscription = subscriptionMeant(world, params);
  const customer = world.tables.customers.named(
    params.customer ?? idOf(subscription?.customer) ?? '',
    'customer',
  );
  if (subscription !== null && (subscription.ended_at !== null || subscription.customer !== customer.id))
    throw noUpcoming(customer.id);
  if (params.currency !== undefined && params.currency !== subscription?.currency)
    throw invalidRequest('The simulator previews a subscription in its own currency only.', 'currency');
  const next =
    subscription === null
      ? upcomingOfNew(world, customer, params)
      : upcomingAfter(world, subscription, params);
  if (next.items.length + next.lines.length === 0) throw noUpcoming(customer.id);
  const discountable = next.lines.reduce((sum, line) => sum + line.amount, 0);
  const invoice = makeInvoice(next.at, {
    id: `upcoming_${newId('in')}`,
    merchant: world.options.merchant,
    subscription: next.subscription,
    customer,
    reason: 'upcoming',
    period: next.period,
    lines: next.lines,
    items: next.items,
    finalizesAt: next.at + (next.isBilledNow ? 0 : DRAFT_SECONDS),
    discount: discountOn(world, next.subscription, discountable),
  });
  invoice.ending_balance = Math.min(0, invoice.total + invoice.starting_balance);
  return invoice;
}
