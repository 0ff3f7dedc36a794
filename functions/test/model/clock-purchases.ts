import type { Period } from '@extension-billing/contract/period';
import { PLAN } from '@extension-billing/contract/test/catalog';
import { DAY, HOUR } from '@extension-billing/contract/time';
import fc from 'fast-check';
import type { Fact } from '../../src/stripe/facts.ts';
import {
  bringsOf,
  type ClockPlan,
  everBrought,
  monthsAfter,
  mostOf,
  periodsBy,
  phasesOf,
  planAt,
  type Subscribed,
  spendableIn,
  termsOf,
} from './clock-plans.ts';

// What a person buys whose credits come by the clock, with the facts that the provider tells of it.

/** How long what is left of the last period stays, where the next payment is late. */
const LATE = 30 * DAY;
/** The instances' clocks, and the provider's, are at most so far apart. */
export const SKEW = 200_000;

export interface Bought {
  readonly start: number;
  readonly subscription: Subscribed | null;
  readonly lifetime: (ClockPlan & { readonly after: number; readonly refundedAfter: number | null }) | null;
  readonly packs: readonly { readonly after: number; readonly credits: number; readonly days: number }[];
}

const plan = {
  amount: fc.integer({ min: 1, max: 50 }),
  every: fc.constantFrom<Period>('month', 'month', 'week', 'day', '5h'),
  rollover: fc.constantFrom(0, 0, 20),
  limit: fc.constantFrom(null, null, 9),
};

/** Often of periods as long as those of the first plan. */
const change = fc.record({
  ...plan,
  isLikeBefore: fc.boolean(),
  payment: fc.nat(2),
  after: fc.constantFrom(0, 3 * DAY, 20 * DAY),
});

export const anyBought: fc.Arbitrary<Bought> = fc.record({
  start: fc
    .integer({ min: Date.UTC(2025, 0, 25) / DAY, max: Date.UTC(2029, 2, 2) / DAY })
    .map((day) => day * DAY + 9 * HOUR),
  subscription: fc.option(
    fc
      .record({
        ...plan,
        months: fc.constantFrom(1 as const, 12 as const),
        payments: fc.array(fc.constantFrom(0, 0, HOUR, 9 * DAY), { minLength: 1, maxLength: 3 }),
        ends: fc.boolean(),
        changes: fc.array(change, { maxLength: 2 }),
      })
      .map(({ changes, ...first }): Subscribed => {
        const every = (isLike: boolean, own: Period) => (isLike ? first.every : own);
        return {
          ...first,
          changes: changes.map(({ isLikeBefore, ...each }) => ({
            ...each,
            every: every(isLikeBefore, each.every),
          })),
        };
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

/** All that the provider says of it, each at its own time. */
export function factsOf({ start, subscription, lifetime, packs }: Bought): readonly Fact[] {
  const facts: Fact[] = [];
  if (subscription !== null) {
    const { months, payments, ends } = subscription;
    const phases = phasesOf(start, subscription);
    for (const phase of phases) {
      const { plan, price, payment, isBilled } = phase;
      const periodStart = monthsAfter(start, months * payment);
      const see = (at: number, status: string): Fact => ({
        kind: 'subscription_seen',
        subscription: 'sub',
        state: {
          ...{ status, cancel: false, lookupKey: PLAN.yearly, trialed: false, tagged: true, periodStart },
          ...{ anchor: start, periodEnd: phase.until, brings: bringsOf(phase, periodStart, phase.until) },
        },
        first: at === start,
        at,
      });
      facts.push(see(phase.from, 'active'));
      const at = periodStart + (payments[payment] ?? 0);
      if (isBilled) {
        facts.push({
          ...{ kind: 'allowance_paid', subscription: 'sub', invoice: `in_${payment}`, periodStart },
          periodEnd: phase.until,
          ...{ amountPaid: 900, invoiceCreated: periodStart, renews: payment > 0, credits: plan.amount },
          ...{ terms: termsOf(plan), billed: { price, quantity: 1 }, at },
        });
      }
      if (ends && phase === phases.at(-1)) facts.push(see(phase.until, 'canceled'));
    }
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

function paidUntil({ months, payments }: Subscribed, start: number): number {
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
    const had = phasesOf(start, subscription).filter(({ from }) => from - SKEW <= at);
    const plan = mostOf(had.map((phase) => phase.plan));
    allowance += plan === null ? 0 : most(plan, 'all');
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
  const bought = packs.filter(({ after }) => start + after <= at + SKEW);
  return (
    (subscription === null
      ? 0
      : everBrought(phasesOf(start, subscription), start, paidUntil(subscription, start), at + SKEW)) +
    (lifetime === null ? 0 : lifetime.amount * periodsBy(start + lifetime.after, lifetime.every, at + SKEW)) +
    bought.reduce((sum, { credits }) => sum + credits, 0)
  );
}

/**
 * The period of the clock at an instant, and the most that can be spent in it; null where other credits are bought too, its
 * plans have periods of several lengths, or the instant is so near to its ends that the instances may disagree.
 */
export function periodIn({ start, subscription, lifetime, packs }: Bought, at: number) {
  if (subscription === null || lifetime !== null || packs.length > 0) return null;
  return spendableIn(phasesOf(start, subscription), start, at, SKEW);
}

/** What is certainly there, once all is told and every period under way has begun since anything was spent. */
export function freshAt(bought: Bought, at: number, rolled: 'all' | 'none'): number {
  const { start, subscription, lifetime } = bought;
  const plan = subscription === null ? null : planAt(phasesOf(start, subscription), at);
  const isOwned = lifetime !== null && lifetime.refundedAfter === null;
  return (plan === null ? 0 : most(plan, rolled)) + (isOwned ? most(lifetime, rolled) : 0);
}
