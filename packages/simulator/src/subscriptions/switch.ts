import type Stripe from 'stripe';
import { invalidRequest } from '../http/errors.ts';
import type { LineGiven } from '../invoices/invoice.ts';
import { makeProrationItem, type Proration } from '../invoices/items.ts';
import { refuseUnsupportedCurrency } from '../prices/currencies.ts';
import { planOf } from '../prices/price.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { type Interval, intervalOf, periodAround, periodEnd } from './periods.ts';
import { remainingTime, unusedTime } from './proration.ts';
import { periodLine } from './start.ts';

/** What a change of a subscription's plan is asked for with; an update and a preview name it alike. */
interface SwitchParams {
  items?: {
    id?: string;
    price?: string;
    quantity?: number;
    deleted?: boolean;
    plan?: string;
    price_data?: unknown;
  }[];
  proration_behavior?: string;
  proration_date?: number;
  /** A map since 2026-10-28.endive, before that the word itself. */
  billing_cycle_anchor?: string | { type: string; timestamp?: number };
  trial_end?: 'now' | number;
}

/** The change itself, with the simulator's limits and Stripe's rules checked. */
interface SwitchAsked {
  item: Stripe.SubscriptionItem;
  price: Stripe.Price;
  quantity: number;
  behaviour: 'create_prorations' | 'always_invoice' | 'none';
  /** The moment that prorations count from. */
  at: number;
  now: number;
  anchor: 'now' | 'unchanged' | null;
  trial: { ends: 'now' } | { ends: number } | null;
  /**
   * `trial_end=now` came for a subscription that has no trial to end. It changes nothing by itself; a switch to
   * another interval keeps its billing cycle where it is (recorded: pay-rails/pay, `stripe_can_swap_a_subscription`).
   */
  endsNoTrial: boolean;
}

const BEHAVIOURS = ['create_prorations', 'always_invoice', 'none'] as const;

function priceAsked(
  world: World,
  subscription: Stripe.Subscription,
  item: Stripe.SubscriptionItem,
  given: NonNullable<SwitchParams['items']>[number],
): Stripe.Price {
  if (given.plan !== undefined || given.price_data !== undefined)
    throw invalidRequest('The simulator switches to prices by id: `items[0][price]`.', 'items[0]');
  if (given.price === undefined) return item.price;
  const param = 'items[0][price]';
  const price = world.tables.prices.named(given.price, param);
  if (!price.active && price.id !== item.price.id)
    throw invalidRequest('The price specified is inactive. This field only accepts active prices.', param);
  if (intervalOf(price.recurring) === null)
    throw invalidRequest(
      'The price specified is set to `type=one_time` but this field only accepts prices with `type=recurring`.',
      param,
    );
  refuseUnsupportedCurrency(world, price, subscription.currency, param);
  return price;
}

/** The subscription's one item, and what the request wants of it. */
function itemAsked(subscription: Stripe.Subscription, params: SwitchParams) {
  const [item] = subscription.items.data;
  if (item === undefined) throw new Error(`${subscription.id} has no items`);
  const [given = {}, ...more] = params.items ?? [];
  const addsOne = given.id === undefined && given.price !== undefined;
  if (more.length > 0 || addsOne || given.deleted === true)
    throw invalidRequest(
      'The simulator has subscriptions with one item: name it by `items[0][id]`.',
      'items',
    );
  if (given.id !== undefined && given.id !== item.id)
    throw invalidRequest(`No such subscription item: '${given.id}'`, 'items[0][id]', 'resource_missing');
  return { item, given };
}

function momentOf(params: SwitchParams, item: Stripe.SubscriptionItem, now: number): number {
  const at = params.proration_date ?? now;
  if (at < item.current_period_start || at > item.current_period_end)
    throw invalidRequest(
      'The `proration_date` must be within the current billing period of the subscription.',
      'proration_date',
    );
  return at;
}

function trialAsked(params: SwitchParams, now: number): SwitchAsked['trial'] {
  if (params.trial_end === undefined) return null;
  if (params.trial_end !== 'now' && params.trial_end <= now)
    throw invalidRequest('Invalid timestamp: must be an integer Unix timestamp in the future.', 'trial_end');
  return { ends: params.trial_end };
}

/** Reads a change of plan, period or trial out of a request; null when it asks for none. */
export function switchAsked(
  world: World,
  subscription: Stripe.Subscription,
  params: SwitchParams,
): SwitchAsked | null {
  const { item, given } = itemAsked(subscription, params);
  const now = world.nowFor(idOf(subscription.customer));
  const { billing_cycle_anchor: named } = params;
  const anchor = typeof named === 'object' ? named.type : named;
  if (anchor !== undefined && anchor !== 'now' && anchor !== 'unchanged')
    throw invalidRequest(
      'Invalid billing_cycle_anchor[type]: must be one of now or unchanged',
      'billing_cycle_anchor[type]',
    );
  const trial = trialAsked(params, now);
  const endsNoTrial = trial?.ends === 'now' && subscription.status !== 'trialing';
  const asked: SwitchAsked = {
    item,
    price: priceAsked(world, subscription, item, given),
    quantity: given.quantity ?? item.quantity ?? 1,
    behaviour: BEHAVIOURS.find((known) => known === params.proration_behavior) ?? 'create_prorations',
    at: momentOf(params, item, now),
    now,
    anchor: anchor ?? null,
    trial: endsNoTrial ? null : trial,
    endsNoTrial,
  };
  const isSame = asked.price.id === item.price.id && asked.quantity === (item.quantity ?? 1);
  return isSame && asked.anchor !== 'now' && asked.trial === null ? null : asked;
}

/** All that a change of plan does, worked out before anything is touched: a preview shows it, an update does it. */
export interface PlannedSwitch {
  asked: SwitchAsked;
  /** The item as it will be. */
  item: Stripe.SubscriptionItem;
  anchor: number;
  trial: { end: number | null; start: number | null; status: 'trialing' | 'active' } | null;
  prorations: Proration[];
  /** The period that begins now, where the change begins one. */
  line: LineGiven | null;
  /** Invoiced at once, or with the next renewal. */
  isBilledNow: boolean;
}

const isPresent = <T>(value: T | null): value is T => value !== null;

function changesInterval({ item, price }: SwitchAsked): boolean {
  const from = item.price.recurring;
  const to = price.recurring;
  return from?.interval !== to?.interval || from?.interval_count !== to?.interval_count;
}

/**
 * Whether the change keeps the cycle's anchor and only stretches or shortens the period that runs: another interval
 * together with `trial_end=now` where there is no trial. Without prorations there would be no bill for it at all,
 * so that one begins a period like any other.
 */
function refitsPeriod(subscription: Stripe.Subscription, asked: SwitchAsked): boolean {
  const { endsNoTrial, anchor, behaviour } = asked;
  const isFlexible = subscription.billing_mode.type === 'flexible';
  return isFlexible && endsNoTrial && changesInterval(asked) && anchor === null && behaviour !== 'none';
}

/** Whether the change begins a new period today: another interval, free → paid, a trial's start or end, or asked for. */
function beginsPeriod(subscription: Stripe.Subscription, asked: SwitchAsked): boolean {
  const { item, price, anchor, trial } = asked;
  if (trial !== null) return subscription.status !== 'trialing' || trial.ends === 'now';
  if (subscription.status === 'trialing') return false;
  const startsToCost = item.price.unit_amount === 0 && price.unit_amount !== 0;
  if (anchor === 'unchanged' && changesInterval(asked))
    throw invalidRequest(
      'When the billing interval changes, `billing_cycle_anchor` cannot be `unchanged`.',
      'billing_cycle_anchor',
    );
  if (startsToCost && anchor !== 'unchanged') return true;
  return anchor === 'now' || (changesInterval(asked) && !refitsPeriod(subscription, asked));
}

function trialAfter(subscription: Stripe.Subscription, { trial, now }: SwitchAsked): PlannedSwitch['trial'] {
  if (trial === null) return null;
  const start = subscription.status === 'trialing' ? subscription.trial_start : now;
  if (trial.ends === 'now') return { end: now, start, status: 'active' };
  return { end: trial.ends, start, status: 'trialing' };
}

function intervalAsked({ price }: SwitchAsked): Interval {
  const interval = intervalOf(price.recurring);
  if (interval === null) throw new Error(`${price.id} is priced once`);
  return interval;
}

/** The item's period after the change. */
function periodAfter(
  subscription: Stripe.Subscription,
  asked: SwitchAsked,
  trial: PlannedSwitch['trial'],
): { start: number; end: number } {
  const { item, now } = asked;
  if (beginsPeriod(subscription, asked))
    return trial?.status === 'trialing'
      ? { start: now, end: trial.end ?? now }
      : { start: now, end: periodEnd(now, intervalAsked(asked), now) };
  if (trial?.status === 'trialing')
    return { start: item.current_period_start, end: trial.end ?? item.current_period_end };
  if (refitsPeriod(subscription, asked))
    return periodAround(subscription.billing_cycle_anchor, intervalAsked(asked), now);
  return { start: item.current_period_start, end: item.current_period_end };
}

/**
 * What a change of plan, quantity, period or trial does, by Stripe's rules for prorations
 * (docs.stripe.com/billing/subscriptions/prorations): within the same interval a credit for the unused time and a
 * debit for the rest, on the next invoice or (`always_invoice`) at once; where a new period begins, the credit and
 * the whole new period at once. A trial has nothing to give back and goes on.
 */
export function planSwitch(
  world: World,
  subscription: Stripe.Subscription,
  asked: SwitchAsked,
): PlannedSwitch {
  const { item, price, quantity, behaviour, at } = asked;
  const trial = trialAfter(subscription, asked);
  const isNewPeriod = beginsPeriod(subscription, asked);
  const period = periodAfter(subscription, asked, trial);
  const after: Stripe.SubscriptionItem = {
    ...item,
    price,
    plan: planOf(price),
    quantity,
    current_period_start: period.start,
    current_period_end: period.end,
  };
  const changes = price.id !== item.price.id || quantity !== (item.quantity ?? 1);
  const prorates = behaviour !== 'none' && subscription.status !== 'trialing' && (changes || isNewPeriod);
  const credit = prorates ? unusedTime(world, subscription, item, at) : null;
  const debit = prorates && !isNewPeriod ? remainingTime(world, subscription, after, at) : null;
  const prorations = [credit, debit].filter(isPresent);
  const isDueNow = behaviour === 'always_invoice' || refitsPeriod(subscription, asked);
  return {
    asked,
    item: after,
    anchor:
      trial?.status === 'trialing'
        ? period.end
        : isNewPeriod
          ? period.start
          : subscription.billing_cycle_anchor,
    trial,
    prorations,
    line: isNewPeriod
      ? periodLine(world, after, subscription.currency, period, trial?.status === 'trialing')
      : null,
    isBilledNow: isNewPeriod || (isDueNow && prorations.length > 0),
  };
}

/** The items that a planned switch's prorations become, not yet on record. */
export function prorationItems(
  world: World,
  subscription: Stripe.Subscription,
  planned: PlannedSwitch,
): Stripe.InvoiceItem[] {
  const customer = world.tables.customers.known(idOf(subscription.customer));
  return planned.prorations.map((proration) =>
    makeProrationItem(planned.asked.now, customer, subscription.currency, proration),
  );
}

/** Puts a planned switch into force on the subscription's own row. */
export function applySwitch(subscription: Stripe.Subscription, planned: PlannedSwitch): void {
  const [item] = subscription.items.data;
  if (item === undefined) throw new Error(`${subscription.id} has no items`);
  Object.assign(item, planned.item);
  subscription.billing_cycle_anchor = planned.anchor;
  if (planned.trial === null) return;
  subscription.trial_end = planned.trial.end;
  subscription.trial_start = planned.trial.start;
  subscription.status = planned.trial.status;
}
