import type { Millis } from '@extension-billing/contract/customer';
import { advance, NOT_BEGUN, type Pool, periodAt } from '@extension-billing/contract/schedule';
import { ALLOWANCE_GRACE } from './entitlement.ts';
import { type AllowanceGrant, type Facts, isFullyRefunded } from './facts.ts';

// The allowances that the clock brings: what the facts say of each, and what becomes of the one in the record when they
// say something else (docs/decisions/credits-by-the-clock.md). What is left of a pool is the record's alone to know;
// everything else about it follows from the facts, in whatever order they came.

/** A pool as the facts have it: all but where it stands. */
export interface PaidPool {
  readonly terms: Omit<Pool, 'left' | 'period' | 'used'>;
  /** Paid for from then on: it has begun, also where this clock is behind the provider's. */
  readonly paidFrom: Millis;
  /** Spent of the same payment before its credits were known to come by the clock. */
  readonly spent: number;
}

/** Pools as they stood when facts took them away, by source; below 0 where more was spent than is left since then. */
export type Withdrawn = Readonly<Record<string, Pool>>;

/**
 * A subscription's allowance by the clock, as its newest paid invoice has it.
 *
 * @param amount credits of a period, without what a dispute takes
 * @param spent of this invoice's allowance, while it was not known to come by the clock
 */
export function subscriptionPool(
  { subscriptions }: Facts,
  subscription: string,
  grant: AllowanceGrant,
  { amount, spent }: { readonly amount: number; readonly spent: number },
): PaidPool | null {
  const { terms, periodStart, periodEnd, paid = [] } = grant;
  if (terms === undefined) return null;
  const state = subscriptions[subscription]?.state;
  const span = paid.findLast(({ from }) => from <= periodStart);
  return {
    terms: {
      source: subscription,
      kind: 'allowance',
      amount,
      ...terms,
      // Before the subscription is known: its newest period began where one of its months did.
      anchor: state?.anchor ?? periodStart,
      from: span?.from ?? periodStart,
      until: periodEnd ?? state?.periodEnd ?? null,
      grace: ALLOWANCE_GRACE,
    },
    paidFrom: periodStart,
    spent,
  };
}

/** The allowances of the lifetime plans that are owned. */
export function lifetimePools({ purchases }: Facts): readonly PaidPool[] {
  return Object.entries(purchases).flatMap(([source, purchase]): PaidPool[] => {
    const { paidAt, allowance } = purchase;
    if (paidAt === null || allowance === undefined || isFullyRefunded(purchase)) return [];
    const terms = {
      source,
      kind: 'allowance',
      ...allowance,
      anchor: paidAt,
      from: paidAt,
      until: null,
    } as const;
    return [{ terms, paidFrom: paidAt, spent: 0 }];
  });
}

/**
 * The pools that are paid for, each where it stands: one that was there keeps what was spent of it, whatever its terms
 * are now, and one that was taken away comes back as it went.
 *
 * @param known the record's, as they are at `now`
 * @param mayReturn whether a source that is not paid for now may be again
 */
export function poolsAfter(
  paid: readonly PaidPool[],
  known: readonly Pool[],
  withdrawn: Withdrawn,
  now: Millis,
  mayReturn: (source: string) => boolean,
): { readonly pools: readonly Pool[]; readonly withdrawn: Withdrawn } {
  const stood = new Map(Object.entries(withdrawn));
  for (const pool of known) stood.set(pool.source, owing(pool, withdrawn[pool.source]));
  const pools = paid.map((each) => {
    const before = stood.get(each.terms.source);
    stood.delete(each.terms.source);
    return before === undefined ? begun(each, now) : changed(before, each, now);
  });
  const gone = [...stood].filter(([source]) => mayReturn(source));
  const short = pools.filter(({ left }) => left < 0).map((pool): [string, Pool] => [pool.source, pool]);
  return {
    pools: pools.map((pool) => (pool.left < 0 ? { ...pool, left: 0 } : pool)),
    withdrawn: Object.fromEntries([...gone, ...short]),
  };
}

/** The record's pool, with what was spent of its period beyond what is left since. */
function owing(pool: Pool, kept: Pool | undefined): Pool {
  const owes = kept !== undefined && kept.period === pool.period ? Math.min(0, kept.left) : 0;
  return owes === 0 ? pool : { ...pool, left: pool.left + owes };
}

function begun({ terms, paidFrom, spent }: PaidPool, now: Millis): Pool {
  const pool = advance({ ...terms, left: 0, period: NOT_BEGUN }, Math.max(now, paidFrom));
  return spent === 0 ? pool : { ...pool, left: pool.left - spent };
}

function changed(before: Pool, { terms, paidFrom }: PaidPool, now: Millis): Pool {
  const at = Math.max(now, paidFrom);
  const current = advanced(before, now);
  const used = usedUnder(current, terms);
  const period = periodUnder(current, terms, at);
  const next: Pool = { ...terms, left: current.left, period, ...(used !== undefined && { used }) };
  const later = advanced(next, at);
  // A period that begins brings the new amount by itself; the one under way is raised or lowered to it.
  if (later.period !== period || period === NOT_BEGUN) return later;
  return advanced({ ...next, left: current.left + terms.amount - current.amount }, at);
}

/** What is owed of a period ends with it. */
function advanced(pool: Pool, at: Millis): Pool {
  if (pool.left >= 0) return advance(pool, at);
  const later = advance({ ...pool, left: 0 }, at);
  return later.period === pool.period ? pool : later;
}

/**
 * When the period under way counts as begun once periods begin elsewhere: another anchor, or other lengths, are no
 * reason for a second allowance within the same one. One that is over by its own terms is none to go on with.
 */
function periodUnder({ anchor, every, period, until }: Pool, terms: PaidPool['terms'], at: Millis): Millis {
  if (every === 'once' || terms.every === 'once' || period === NOT_BEGUN) return period;
  if (anchor === terms.anchor && every === terms.every) return period;
  const within = terms.until === null ? at : Math.min(at, terms.until - 1);
  const start = Math.max(terms.from, periodAt(terms.anchor, terms.every, within).start);
  const end = Math.min(until ?? Number.POSITIVE_INFINITY, periodAt(anchor, every, period).end);
  return period < start && start < end ? start : period;
}

/** What is spent of each limit, where there is one of the same windows. */
function usedUnder({ limits = [], used }: Pool, terms: PaidPool['terms']): Pool['used'] {
  if (used === undefined || terms.limits === undefined) return undefined;
  return terms.limits.map(({ every }) => {
    const same = limits.findIndex((limit) => limit.every === every);
    return used[same] ?? { start: NOT_BEGUN, credits: 0 };
  });
}
