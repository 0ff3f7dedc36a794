import type Stripe from 'stripe';
import { invalidRequest } from '../http/errors.ts';
import type { LineGiven } from '../objects/invoice.ts';
import { makeProrationItem, type Proration } from '../objects/invoice-item.ts';
import { planOf } from '../objects/price.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { type Interval, intervalOf, periodAround, periodEnd } from './periods.ts';
import { remainingTime, unusedTime } from './proration.ts';
import { periodLine } from './subscription-start.ts';
import type { SwitchAsked } from './switch-asked.ts';

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
    line: isNewPeriod ? periodLine(world, after, period, trial?.status === 'trialing') : null,
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
