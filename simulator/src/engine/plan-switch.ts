import type Stripe from 'stripe';
import { invalidRequest } from '../http/errors.ts';
import type { LineGiven } from '../objects/invoice.ts';
import { makeProrationItem, type Proration } from '../objects/invoice-item.ts';
import { planOf } from '../objects/price.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { intervalOf, periodEnd } from './periods.ts';
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

/** Whether the change begins a new period today: another interval, free → paid, a trial's start or end, or asked for. */
function beginsPeriod(subscription: Stripe.Subscription, asked: SwitchAsked): boolean {
  const { item, price, anchor, trial } = asked;
  if (trial !== null) return subscription.status !== 'trialing' || trial.ends === 'now';
  if (subscription.status === 'trialing') return false;
  const from = item.price.recurring;
  const to = price.recurring;
  const changesInterval = from?.interval !== to?.interval || from?.interval_count !== to?.interval_count;
  const startsToCost = item.price.unit_amount === 0 && price.unit_amount !== 0;
  if (anchor === 'unchanged' && changesInterval)
    throw invalidRequest(
      'When the billing interval changes, `billing_cycle_anchor` cannot be `unchanged`.',
      'billing_cycle_anchor',
    );
  return changesInterval || (startsToCost && anchor !== 'unchanged') || anchor === 'now';
}

function trialAfter(subscription: Stripe.Subscription, { trial, now }: SwitchAsked): PlannedSwitch['trial'] {
  if (trial === null) return null;
  const isTrialing = subscription.status === 'trialing';
  const start = isTrialing ? subscription.trial_start : now;
  if (trial.ends !== 'now') return { end: trial.ends, start, status: 'trialing' };
  return isTrialing ? { end: now, start, status: 'active' } : null;
}

function periodAfter(asked: SwitchAsked, trial: PlannedSwitch['trial']): { start: number; end: number } {
  if (trial?.status === 'trialing') return { start: asked.now, end: trial.end ?? asked.now };
  const interval = intervalOf(asked.price.recurring);
  if (interval === null) throw new Error(`${asked.price.id} is priced once`);
  return { start: asked.now, end: periodEnd(asked.now, interval, asked.now) };
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
  const isNewPeriod = beginsPeriod(subscription, asked) && (trial !== null || asked.trial === null);
  const extendsTrial = trial?.status === 'trialing' && !isNewPeriod;
  const period = isNewPeriod
    ? periodAfter(asked, trial)
    : {
        start: item.current_period_start,
        end: extendsTrial ? (trial.end ?? item.current_period_end) : item.current_period_end,
      };
  const changes = price.id !== item.price.id || quantity !== (item.quantity ?? 1);
  const prorates = behaviour !== 'none' && subscription.status !== 'trialing' && (changes || isNewPeriod);
  const credit = prorates ? unusedTime(world, subscription, item, at) : null;
  const debit =
    prorates && !isNewPeriod ? remainingTime(world, subscription, item, { price, quantity }, at) : null;
  const after: Stripe.SubscriptionItem = {
    ...item,
    price,
    plan: planOf(price),
    quantity,
    current_period_start: period.start,
    current_period_end: period.end,
  };
  const prorations = [credit, debit].filter(isPresent);
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
    isBilledNow: isNewPeriod || (behaviour === 'always_invoice' && prorations.length > 0),
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
