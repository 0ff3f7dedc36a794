import type { Millis } from '@extension-billing/contract/customer';
import { isPeriod } from '@extension-billing/contract/period';
import { advance, endOf, nextCreditsAt, type Pool, spendableOf } from '@extension-billing/contract/schedule';
import type { EntitlementSnapshot, SnapshotCredits } from './snapshot.ts';

// What the clock alone does to the credits of a snapshot: the same schedule as the server's, with no word of it.

/** What a timer can be set to at most, in every browser. */
const LONGEST_TIMER_MS = 2_147_483_647;

/**
 * Shows snapshots as they hold now, and calls back at the instant when the clock next changes the one that was shown
 * last, with or without a network.
 */
export function startClock(
  onChange: () => void,
): (snapshot: EntitlementSnapshot | null) => EntitlementSnapshot | null {
  let timer: ReturnType<typeof setTimeout> | undefined;
  // The timers of a page that is hidden, and of a computer that sleeps, come late.
  globalThis.document?.addEventListener('visibilitychange', onChange);
  return (snapshot) => {
    const now = Date.now();
    const shown = creditsAtClock(snapshot, now);
    clearTimeout(timer);
    const next = shown?.credits ? nextChange(shown.credits, now) : null;
    if (next !== null) timer = setTimeout(onChange, Math.min(next - now, LONGEST_TIMER_MS));
    return shown;
  };
}

/** The snapshot as it holds at `now`: periods have begun, and ended. The same object where there is nothing to count. */
export function creditsAtClock(
  snapshot: EntitlementSnapshot | null,
  now: Millis,
): EntitlementSnapshot | null {
  const credits = snapshot?.credits ?? null;
  if (snapshot === null || credits?.pools === undefined) return snapshot;
  return { ...snapshot, credits: atClock({ ...credits, pools: credits.pools.filter(isPool) }, now) };
}

function atClock(credits: SnapshotCredits, now: Millis): SnapshotCredits {
  const allowance = Math.max(0, credits.allowance + risen(credits, 'allowance', now));
  const packCredits = Math.max(0, credits.packCredits + risen(credits, 'pack', now));
  const byClock = { nextAt: nextOfPools(credits, now), periodCredits: amountOfPools(credits, now) };
  const balance = allowance + packCredits;
  return { ...credits, balance, allowance, packCredits, ...byClock };
}

/** By how much more or less can be spent at `now` than the stored balance says. */
function risen({ pools = [], asOf }: SnapshotCredits, kind: Pool['kind'], now: Millis): number {
  return pools.reduce((sum, pool) => {
    if (pool.kind !== kind) return sum;
    const before = asOf === undefined ? pool.left : spendable(pool, asOf);
    return sum + spendable(pool, now) - before;
  }, 0);
}

function spendable(pool: Pool, now: Millis): number {
  return spendableOf(advance(pool, now), now);
}

/** When the clock next brings credits, of the pools; null where it does not. */
function nextOfPools({ pools = [] }: Pick<SnapshotCredits, 'pools'>, now: Millis): Millis | null {
  return earliest(pools.map((pool) => nextCreditsAt(pool, now)));
}

/** When the clock next changes what can be spent: credits that come, and credits that end. */
export function nextChange({ pools = [] }: Pick<SnapshotCredits, 'pools'>, now: Millis): Millis | null {
  const ends = pools.map((pool) => endOf(advance(pool, now)));
  return earliest([nextOfPools({ pools }, now), ...ends.filter((end) => end !== null && end > now)]);
}

/** Credits of a period, of all allowances that the clock brings and that are not over. */
function amountOfPools({ pools = [] }: SnapshotCredits, now: Millis): number {
  const open = pools.filter(({ kind, until }) => kind === 'allowance' && (until === null || until > now));
  return open.reduce((sum, { amount }) => sum + amount, 0);
}

function earliest(instants: readonly (Millis | null)[]): Millis | null {
  const next = Math.min(...instants.filter((at) => at !== null));
  return Number.isFinite(next) ? next : null;
}

/** Of what the worker wrote; anything else is left out. */
function isPool(value: unknown): value is Pool {
  if (typeof value !== 'object' || value === null) return false;
  const { every, until, limits, used, ...pool }: Readonly<Partial<Record<keyof Pool, unknown>>> = value;
  const numbers = [pool.amount, pool.anchor, pool.from, pool.left, pool.period];
  return (
    numbers.every(isTime) &&
    (until === null || isTime(until)) &&
    isEvery(every) &&
    (limits === undefined || (Array.isArray(limits) && limits.every((limit) => isEvery(limit?.every)))) &&
    (used === undefined || Array.isArray(used))
  );
}

function isEvery(value: unknown): boolean {
  return value === 'once' || isPeriod(value);
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
