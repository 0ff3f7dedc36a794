import type { Period } from '@extension-billing/contract/period';
import { PLAN } from '@extension-billing/contract/test/catalog';
import fc from 'fast-check';
import type { Fact } from '../../src/stripe/facts.ts';

// What a person buys whose credits come by the clock, with the facts that the provider tells of it.

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** How long what is left of the last period stays, where the next payment is late. */
const LATE = 30 * DAY;
/** The instances' clocks, and the provider's, are at most so far apart. */
export const SKEW = 200_000;

export interface ClockPlan {
  readonly amount: number;
  readonly every: Period;
  readonly rollover: number;
  /** At most so much in five hours; null where there is no limit. */
  readonly limit: number | null;
}

export interface Bought {
  readonly start: number;
  readonly subscription:
    | (ClockPlan & {
        /** Months that an invoice pays for. */
        readonly months: 1 | 12;
        /** How late each invoice was paid. */
        readonly payments: readonly number[];
        /** Ended with its last paid period, or left unpaid. */
        readonly ends: boolean;
      })
    | null;
  readonly lifetime: (ClockPlan & { readonly after: number; readonly refundedAfter: number | null }) | null;
  readonly packs: readonly { readonly after: number; readonly credits: number; readonly days: number }[];
}

const plan = {
  amount: fc.integer({ min: 1, max: 50 }),
  every: fc.constantFrom<Period>('month', 'month', 'week', 'day', '5h'),
  rollover: fc.constantFrom(0, 0, 20),
  limit: fc.constantFrom(null, null, 9),
};

export const anyBought: fc.Arbitrary<Bought> = fc.record({
  start: fc
    .integer({ min: Date.UTC(2025, 0, 25) / DAY, max: Date.UTC(2029, 2, 2) / DAY })
    .map((day) => day * DAY + 9 * HOUR),
  subscription: fc.option(
    fc.record({
      ...plan,
      months: fc.constantFrom(1 as const, 12 as const),
      payments: fc.array(fc.constantFrom(0, 0, HOUR, 9 * DAY), { minLength: 1, maxLength: 3 }),
      ends: fc.boolean(),
    }),
    { freq: 4 },
  ),
  lifetime: fc.option(
    fc.record({
      ...plan,
      after: fc.nat(60 * DAY).map(wholeSeconds),
      refundedAfter: fc.constantFrom(null, null, 20 * DAY),
    }),
    { freq: 1 },
  ),
  packs: fc.array(
    fc.record({
      after: fc.nat(90 * DAY).map(wholeSeconds),
      credits: fc.integer({ min: 1, max: 80 }),
      days: fc.constantFrom(1, 30, 90),
    }),
    { maxLength: 2 },
  ),
});

function wholeSeconds(ms: number): number {
  return ms - (ms % 1_000);
}

/** The same day some months on, or the last of a shorter month. */
function monthsAfter(start: number, months: number): number {
  const date = new Date(start);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months];
  const day = Math.min(date.getUTCDate(), new Date(Date.UTC(year, month + 1, 0)).getUTCDate());
  return Date.UTC(year, month, day) + (start % DAY);
}

function startOf(anchor: number, every: Period, index: number): number {
  if (every === 'month') return monthsAfter(anchor, index);
  const lengths: Partial<Record<Period, number>> = { week: 7 * DAY, day: DAY, '5h': 5 * HOUR };
  return anchor + index * (lengths[every] ?? Number.NaN);
}

const termsOf = ({ every, rollover, limit }: ClockPlan) => ({
  every,
  ...(rollover > 0 && { rollover }),
  ...(limit !== null && { limits: [{ amount: limit, every: '5h' as const }] }),
});

/** All that the provider says of it, each at its own time. */
export function factsOf({ start, subscription, lifetime, packs }: Bought): readonly Fact[] {
  const facts: Fact[] = [];
  if (subscription !== null) {
    const { months, payments, ends, amount } = subscription;
    const see = (at: number, status: string, index: number): Fact => ({
      kind: 'subscription_seen',
      subscription: 'sub',
      state: {
        ...{ status, cancel: false, lookupKey: PLAN.yearly, trialed: false, tagged: true },
        ...{ anchor: start, periodEnd: monthsAfter(start, months * (index + 1)) },
      },
      first: index === 0,
      at,
    });
    for (const [index, late] of payments.entries()) {
      const periodStart = monthsAfter(start, months * index);
      const at = periodStart + late;
      facts.push(see(periodStart, 'active', index), {
        ...{ kind: 'allowance_paid', subscription: 'sub', invoice: `in_${index}`, periodStart },
        periodEnd: monthsAfter(start, months * (index + 1)),
        ...{ amountPaid: 900, invoiceCreated: periodStart, renews: index > 0, credits: amount },
        ...{ terms: termsOf(subscription), at },
      });
    }
    const last = payments.length - 1;
    if (ends) facts.push(see(paidUntil(subscription, start), 'canceled', last));
  }
  if (lifetime !== null) {
    const at = start + lifetime.after;
    const { amount, refundedAfter } = lifetime;
    facts.push({
      ...{
        kind: 'purchase_paid',
        purchase: 'pi_life',
        product: 'lifetime',
        credits: 0,
        lookupKey: PLAN.lifetime,
      },
      ...{ allowance: { amount, ...termsOf(lifetime) }, at },
    });
    if (refundedAfter !== null) {
      const refund = { purchase: 'pi_life', charge: 'ch_life', product: 'lifetime' } as const;
      facts.push({ kind: 'charge_refunded', ...refund, amount: 100, refunded: 100, at: at + refundedAfter });
    }
  }
  for (const [index, { after, credits, days }] of packs.entries()) {
    facts.push({
      ...{ kind: 'purchase_paid', purchase: `pi_${index}`, product: 'pack', lookupKey: null },
      ...{ credits, expiresAfterDays: days, at: start + after },
    });
  }
  return facts;
}

function paidUntil({ months, payments }: NonNullable<Bought['subscription']>, start: number): number {
  return monthsAfter(start, months * payments.length);
}

/** What a plan lets through at once, with as much rolled over as may be, or nothing. */
function most({ amount, rollover, limit }: ClockPlan, rolled: 'all' | 'none'): number {
  const owned = amount + (rolled === 'all' ? rollover : 0);
  return limit === null ? owned : Math.min(limit, owned);
}

/** The most that can be there at an instant, whatever was told by then and spent. */
export function mostAt({ start, subscription, lifetime, packs }: Bought, at: number) {
  let allowance = 0;
  if (subscription !== null && at >= start - SKEW && at < paidUntil(subscription, start) + LATE + SKEW) {
    allowance += most(subscription, 'all');
  }
  if (lifetime !== null && at >= start + lifetime.after - SKEW) allowance += most(lifetime, 'all');
  const kept = packs.filter(({ after, days }) => {
    const bought = start + after;
    return at >= bought - SKEW && at < bought + days * DAY;
  });
  return { allowance, packs: kept.reduce((sum, { credits }) => sum + credits, 0) };
}

/** All that was ever there to be spent by an instant: each period that has begun, once. */
export function everBy({ start, subscription, lifetime, packs }: Bought, at: number): number {
  const begun = ({ every, amount }: ClockPlan, from: number, until: number): number => {
    let periods = 0;
    while (startOf(from, every, periods) <= Math.min(at + SKEW, until - 1)) periods += 1;
    return periods * amount;
  };
  const bought = packs.filter(({ after }) => start + after <= at + SKEW);
  return (
    (subscription === null ? 0 : begun(subscription, start, paidUntil(subscription, start))) +
    (lifetime === null ? 0 : begun(lifetime, start + lifetime.after, Number.POSITIVE_INFINITY)) +
    bought.reduce((sum, { credits }) => sum + credits, 0)
  );
}

/** What is certainly there, once all is told and every period under way has begun since anything was spent. */
export function freshAt(bought: Bought, at: number, rolled: 'all' | 'none'): number {
  const { start, subscription, lifetime } = bought;
  const isPaid = subscription !== null && at < paidUntil(subscription, start);
  const isOwned = lifetime !== null && lifetime.refundedAfter === null;
  return (isPaid ? most(subscription, rolled) : 0) + (isOwned ? most(lifetime, rolled) : 0);
}
