import type { Millis } from './customer.ts';
import type { Period } from './period.ts';
import { DAY, HOUR } from './time.ts';

/**
 * Credits by the clock: periods that begin at an anchor, over and over, in UTC, and what is left of the present one.
 * Pure arithmetic on milliseconds, so that server and pages have the same answer at the same instant, whatever time
 * zone they are in (design, section 9; docs/decisions/credits-by-the-clock.md#pools-in-the-record).
 */

/** At most so many credits in each window; windows begin as periods do. */
export interface SpendLimit {
  readonly amount: number;
  readonly every: Period;
}

/** The credits of a plan, as the catalogue states them. */
export interface AllowanceTerms {
  readonly amount: number;
  readonly every: Period;
  /** Most that is carried over from one period to the next; nothing where it is not said. */
  readonly rollover?: number;
  readonly limits?: readonly SpendLimit[];
}

/** How a plan's credits come by the clock, beside their amount; a plan without it gets them with each paid invoice. */
export type ClockTerms = Omit<AllowanceTerms, 'amount'>;

/** One source of credits that the clock changes, as the record holds it: its terms, and where it stands. */
export interface Pool {
  /** `free`, the provider's id of a subscription or of a purchase. One of each in a record. */
  readonly source: string;
  /** Which balance it counts in. */
  readonly kind: 'allowance' | 'pack';
  /** Credits of a period. */
  readonly amount: number;
  /** `once`: the one period begins at the anchor and ends at `until`. */
  readonly every: Period | 'once';
  /** Periods begin here and a whole number of them before or after. */
  readonly anchor: Millis;
  /** Nothing before it. A period under way then begins at it, with all its credits. */
  readonly from: Millis;
  /** No period begins at or after it; null where it goes on for good. */
  readonly until: Millis | null;
  /**
   * How long after `until` what is left of the last period can still be spent, since a payment may come late; to that
   * period's own end where it is not said. Nothing of it for `once`.
   */
  readonly grace?: number;
  readonly rollover?: number;
  readonly limits?: readonly SpendLimit[];
  /** Credits left of the period that began at `period`. */
  readonly left: number;
  /** When the newest period began that was ever seen; `NOT_BEGUN` before the first. */
  readonly period: Millis;
  /** Spent in the window that began at `start`, one for each limit; absent where nothing was spent yet. */
  readonly used?: readonly { readonly start: Millis; readonly credits: number }[];
}

/** The `source` of what every account gets without paying; a guest's is told apart, since it is topped up once. */
export const FREE = 'free';
export const FREE_GUEST = 'free_guest';

/** Whether nobody paid for a pool: no event gives it, takes it or counts it. */
export function isFreePool({ source }: Pick<Pool, 'source'>): boolean {
  return source === FREE || source === FREE_GUEST;
}

/** The `period` of a pool of which nobody has seen a period yet. */
export const NOT_BEGUN: Millis = 0;

/** The period that `at` is in: every instant is in one of them, before the anchor as well. */
export function periodAt(anchor: Millis, every: Period, at: Millis): { start: Millis; end: Millis } {
  const index = indexAt(anchor, every, at);
  return { start: startOf(anchor, every, index), end: startOf(anchor, every, index + 1) };
}

/** The whole number of periods from the anchor to the beginning of the one that `at` is in. */
function indexAt(anchor: Millis, every: Period, at: Millis): number {
  if (every !== 'month') return Math.floor((at - anchor) / lengthOf(every));
  const months = monthOf(dayOf(at)) - monthOf(dayOf(anchor));
  return startOf(anchor, every, months) > at ? months - 1 : months;
}

/** Counted from the anchor, never from the period before: after a short month the 31st is the 31st again. */
function startOf(anchor: Millis, every: Period, index: number): Millis {
  if (every !== 'month') return anchor + index * lengthOf(every);
  const day = dayOf(anchor);
  const month = monthOf(day);
  const first = firstDayOf(month + index);
  const lastOfMonth = firstDayOf(month + index + 1) - first - 1;
  return anchor + (first + Math.min(day - firstDayOf(month), lastOfMonth) - day) * DAY;
}

function lengthOf(every: Exclude<Period, 'month'>): Millis {
  if (every === 'week') return 7 * DAY;
  return every === 'day' ? DAY : Number.parseInt(every, 10) * HOUR;
}

/** Days from 1 January 1970, in UTC. */
function dayOf(at: Millis): number {
  return Math.floor(at / DAY);
}

/** The month that a day is in, counted from January 1970. */
function monthOf(day: number): number {
  const guess = Math.floor(day / 30.436875);
  if (firstDayOf(guess) > day) return guess - 1;
  return firstDayOf(guess + 1) <= day ? guess + 1 : guess;
}

/** Days from 1 March of year 0 to 1 January 1970, in the calendar of today. */
const DAYS_TO_1970 = 719_468;

/** The day on which a month begins. Years are taken to begin in March, so that a leap day is the last of its year. */
function firstDayOf(month: number): number {
  const sinceMarch = month + 1970 * 12 - 2;
  const year = Math.floor(sinceMarch / 12);
  const leapDays = Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400);
  const inYear = Math.floor((153 * (sinceMarch - year * 12) + 2) / 5);
  return year * 365 + leapDays + inYear - DAYS_TO_1970;
}

/**
 * A pool as it is at `now`: the period of that instant has begun, with its credits and what is carried over, or what
 * was left has ended. It never goes back to an earlier period, so a clock that was ahead, or one that is behind, makes
 * no second allowance. The very same object where nothing has changed.
 */
export function advance(pool: Pool, now: Millis): Pool {
  const begun = begin(pool, now);
  const end = endOf(begun);
  return begun.left > 0 && end !== null && now >= end ? { ...begun, left: 0 } : begun;
}

function begin(pool: Pool, now: Millis): Pool {
  const { from, until, amount } = pool;
  const at = until === null ? now : Math.min(now, until - 1);
  if (at < from || at < begins(pool, at)) return pool;
  const start = begins(pool, at);
  if (start <= pool.period) return pool;
  const skipped = periodsSkipped(pool, at);
  const carried = Math.min(pool.rollover ?? 0, pool.left + skipped * amount);
  return { ...pool, left: amount + carried, period: Math.max(start, from) };
}

/** When the period began that `at` is in. */
function begins({ anchor, every }: Pool, at: Millis): Millis {
  return every === 'once' ? anchor : periodAt(anchor, every, at).start;
}

/** The periods between the newest that was seen and the one that `at` is in: nobody spent anything of them. */
function periodsSkipped({ anchor, every, from, period }: Pool, at: Millis): number {
  if (every === 'once') return 0;
  const first = indexAt(anchor, every, from);
  const last = Math.max(first - 1, indexAt(anchor, every, period));
  return indexAt(anchor, every, at) - last - 1;
}

/** When what is left of a pool's present period ends; null where it never does. */
export function endOf({ anchor, every, until, period, grace }: Pool): Millis | null {
  if (every === 'once') return until;
  const { end } = periodAt(anchor, every, period);
  if (until === null || end < until || grace === undefined) return end;
  return until + grace;
}

/** Whether a pool is over for good at `now`: nothing is left of it, and nothing begins any more. */
export function isOver(pool: Pool, now: Millis): boolean {
  const end = endOf(pool);
  return pool.until !== null && now >= pool.until && end !== null && now >= end;
}

/** Credits of an advanced pool that can be spent at `now`: what is left, as far as no limit keeps it back. */
export function spendableOf(pool: Pool, now: Millis): number {
  const { left, limits = [] } = pool;
  return limits.reduce((least, { amount }, index) => {
    return Math.min(least, Math.max(0, amount - usedOf(pool, index, now).credits));
  }, left);
}

/** What is spent of a limit in the window of `now`. As with periods, a window that has begun is never begun again. */
function usedOf({ anchor, limits = [], used = [] }: Pool, index: number, now: Millis) {
  const limit = limits[index];
  const known = used[index] ?? { start: NOT_BEGUN, credits: 0 };
  if (limit === undefined) return known;
  const { start } = periodAt(anchor, limit.every, now);
  return start > known.start ? { start, credits: 0 } : known;
}

/** The pool once `credits` of it are spent, which count in its windows. */
export function spendOf(pool: Pool, credits: number, now: Millis): Pool {
  if (credits === 0) return pool;
  const left = pool.left - credits;
  if (pool.limits === undefined || pool.limits.length === 0) return { ...pool, left };
  const used = pool.limits.map((_, index) => {
    const before = usedOf(pool, index, now);
    return { ...before, credits: before.credits + credits };
  });
  return { ...pool, left, used };
}

/**
 * When a pool next has more to spend than at `now`, if nothing is spent until then: a new period, or the end of a
 * window whose limit keeps something back. Null where it never has.
 */
export function nextCreditsAt(pool: Pool, now: Millis): Millis | null {
  const current = advance(pool, now);
  const { anchor, limits = [] } = current;
  const windows = limits.map(({ every }, index) => {
    const { start } = usedOf(current, index, now);
    return periodAt(anchor, every, Math.max(start, now)).end;
  });
  const instants = [nextPeriodAt(current, now), ...windows].filter((at) => at !== null);
  const isMore = (at: Millis) => spendableOf(advance(current, at), at) > spendableOf(current, now);
  return instants.sort((a, b) => a - b).find(isMore) ?? null;
}

/** When a pool's next period begins; null where there is none. */
export function nextPeriodAt({ anchor, every, from, until, period }: Pool, now: Millis): Millis | null {
  if (now < from) return until === null || from < until ? from : null;
  if (every === 'once') return null;
  const { end } = periodAt(anchor, every, Math.max(now, period));
  return until === null || end < until ? end : null;
}
