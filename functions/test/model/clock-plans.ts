import type { Period } from '@extension-billing/contract/period';
import { DAY, HOUR } from '@extension-billing/contract/time';
import type { PlanCredits } from '../../src/stripe/facts.ts';

// The plans that one subscription has had, whose credits come by the clock: what each is worth, and from when.

export interface ClockPlan {
  readonly amount: number;
  readonly every: Period;
  readonly rollover: number;
  /** At most so much in five hours; null where there is no limit. */
  readonly limit: number | null;
}

/** Another plan, so long after the start of the period that a payment is for; 0: that payment is for it. */
export interface PlanChange extends ClockPlan {
  readonly payment: number;
  readonly after: number;
}

export interface Subscribed extends ClockPlan {
  /** Months that an invoice pays for. */
  readonly months: 1 | 12;
  /** How late each invoice was paid. */
  readonly payments: readonly number[];
  /** Ended with its last paid period, or left unpaid. */
  readonly ends: boolean;
  readonly changes: readonly PlanChange[];
}

/** A plan that a payment is for, or that was changed to in its period, from then until that period ends. */
export interface Phase {
  readonly plan: ClockPlan;
  readonly price: string;
  readonly payment: number;
  readonly isBilled: boolean;
  readonly from: number;
  readonly until: number;
}

export const termsOf = ({ every, rollover, limit }: ClockPlan) => ({
  every,
  ...(rollover > 0 && { rollover }),
  ...(limit !== null && { limits: [{ amount: limit, every: '5h' as const }] }),
});

/** What a snapshot says that such a plan brings, in the period of its payment. */
export function bringsOf({ plan, price }: Phase, from: number, until: number): PlanCredits {
  return { credits: plan.amount, terms: termsOf(plan), price, quantity: 1, from, until };
}

/** All of them, in their order. Changes that bring as much as another plan are left out: which is dearer, only a text says. */
export function phasesOf(start: number, subscription: Subscribed): readonly Phase[] {
  const { months, payments, changes, ...first } = subscription;
  const phases: Phase[] = [];
  const rates = new Set([rateOf(first)]);
  let current: { readonly plan: ClockPlan; readonly price: string } = { plan: first, price: 'price_0' };
  const change = (plan: PlanChange): boolean => {
    if (rates.has(rateOf(plan))) return false;
    rates.add(rateOf(plan));
    current = { plan, price: `price_${rates.size}` };
    return true;
  };
  for (const payment of payments.keys()) {
    const from = monthsAfter(start, months * payment);
    const period = { payment, until: monthsAfter(start, months * (payment + 1)) };
    const own = changes.filter((each) => each.payment === payment);
    for (const plan of own) if (plan.after === 0 && payment > 0) change(plan);
    phases.push({ ...current, ...period, isBilled: true, from });
    const later = own.filter(({ after }) => after > 0).sort((a, b) => a.after - b.after);
    for (const [index, plan] of later.entries()) {
      const isTwin = later[index - 1]?.after === plan.after;
      if (!isTwin && change(plan))
        phases.push({ ...current, ...period, isBilled: false, from: from + plan.after });
    }
  }
  return phases;
}

/** The plan whose credits a paid period brings by then: the dearest that it has had. Null outside of all. */
export function planAt(phases: readonly Phase[], at: number): ClockPlan | null {
  const had = phases.filter(({ from, until }) => from <= at && at < until);
  const [dearest] = had.toSorted((a, b) => rateOf(b.plan) - rateOf(a.plan));
  return dearest?.plan ?? null;
}

/** No more than any of them ever lets through: what they bring is never added up. */
export function mostOf(plans: readonly ClockPlan[]): ClockPlan | null {
  const [one] = plans;
  if (one === undefined) return null;
  const most = (of: (plan: ClockPlan) => number) => Math.max(...plans.map(of));
  const isFree = plans.some(({ limit }) => limit === null);
  return {
    every: one.every,
    amount: most(({ amount }) => amount),
    rollover: most(({ rollover }) => rollover),
    limit: isFree ? null : most(({ limit }) => limit ?? 0),
  };
}

/**
 * All that they have ever brought by an instant. Of periods of one length each counts once, with the most that it had; of
 * several lengths nothing but the sum of each plan's own bounds it, since a change may be heard of late.
 */
export function everBrought(phases: readonly Phase[], start: number, paidUntil: number, at: number): number {
  const known = phases.filter(({ from }) => from <= at);
  const lengths = new Set(known.map(({ plan }) => plan.every));
  const [every] = lengths;
  if (every === undefined) return 0;
  const end = Math.min(at, paidUntil - 1);
  if (lengths.size > 1) {
    const sums = known.map(({ plan }) => plan.amount * periodsBy(start, plan.every, end));
    return sums.reduce((sum, brought) => sum + brought, 0);
  }
  let brought = 0;
  for (let index = 0; startOf(start, every, index) <= end; index += 1) {
    const [from, until] = [startOf(start, every, index), startOf(start, every, index + 1)];
    const had = known.filter((phase) => phase.from < until && from < phase.until);
    brought += mostOf(had.map(({ plan }) => plan))?.amount ?? 0;
  }
  return brought;
}

/** @param skew so near to a period's ends nothing is answered */
export function spendableIn(
  phases: readonly Phase[],
  start: number,
  at: number,
  skew: number,
): { readonly index: number; readonly most: number } | null {
  const [every, ...others] = new Set(phases.map(({ plan }) => plan.every));
  if (every === undefined || others.length > 0) return null;
  const index = periodsBy(start, every, at) - 1;
  const [from, until] = [startOf(start, every, index), startOf(start, every, index + 1)];
  if (at - from <= skew || until - at <= skew) return null;
  const had = phases.filter((phase) => phase.from < until && from < phase.until);
  // After the last one that is paid, what is left of it may be spent.
  const plan = phases.some((phase) => at < phase.until) ? mostOf(had.map((phase) => phase.plan)) : null;
  return plan === null ? null : { index, most: plan.amount + plan.rollover };
}

export function periodsBy(from: number, every: Period, end: number): number {
  let periods = 0;
  while (startOf(from, every, periods) <= end) periods += 1;
  return periods;
}

/** Credits in the same time; a month counts as its longest. */
function rateOf({ amount, every }: ClockPlan): number {
  return amount / (every === 'month' ? 31 * DAY : (LENGTHS[every] ?? Number.NaN));
}

const LENGTHS: Partial<Record<Period, number>> = { week: 7 * DAY, day: DAY, '5h': 5 * HOUR };

/** The same day some months on, or the last of a shorter month. */
export function monthsAfter(start: number, months: number): number {
  const date = new Date(start);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months];
  const day = Math.min(date.getUTCDate(), new Date(Date.UTC(year, month + 1, 0)).getUTCDate());
  return Date.UTC(year, month, day) + (start % DAY);
}

function startOf(anchor: number, every: Period, index: number): number {
  if (every === 'month') return monthsAfter(anchor, index);
  return anchor + index * (LENGTHS[every] ?? Number.NaN);
}
