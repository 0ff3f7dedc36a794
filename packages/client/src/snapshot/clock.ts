import type { Millis } from '@extension-billing/contract/customer';
import { isPeriod } from '@extension-billing/contract/period';
import { readPublished } from '@extension-billing/contract/published-catalog';
import {
  advance,
  endOf,
  isFreePool,
  nextCreditsAt,
  type Pool,
  spendableOf,
} from '@extension-billing/contract/schedule';
import type { BrowserStorage } from '../browser-storage.ts';
import {
  CATALOG_KEY,
  type EntitlementSnapshot,
  isTime,
  SNAPSHOT_KEY,
  type SnapshotCredits,
  type SnapshotPlace,
  type SnapshotPool,
} from './snapshot.ts';

// What the clock alone does to the credits of a snapshot: the same schedule as the server's, with no word of it.

/** What a timer can be set to at most, in every browser. */
const LONGEST_TIMER_MS = 2_147_483_647;

/**
 * Shows snapshots as they hold now, and calls back at the instant when the clock next changes the one that was shown
 * last, with or without a network, and when the published catalogue ends free credits or brings them back.
 */
export async function startClock(
  onChange: () => void,
  storage: BrowserStorage,
  { areaName, key }: SnapshotPlace,
): Promise<(snapshot: EntitlementSnapshot | null) => EntitlementSnapshot | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isFreeOff: boolean | undefined;
  // The catalogue is beside the snapshot, under its own key in each half of a split extension (catalogPlace).
  const catalogKey = key.replace(SNAPSHOT_KEY, CATALOG_KEY);
  storage.onChanged.addListener((changes, area) => {
    const change = area === areaName ? changes[catalogKey] : undefined;
    if (change === undefined) return;
    isFreeOff = endsFree(change.newValue);
    onChange();
  });
  try {
    const { [catalogKey]: published } = await storage[areaName].get(catalogKey);
    // A change that was reported meanwhile is newer than what this read saw.
    isFreeOff ??= endsFree(published);
  } catch {
    // Content scripts have no session area: what the record has is shown.
  }
  // The timers of a page that is hidden, and of a computer that sleeps, come late.
  globalThis.document?.addEventListener('visibilitychange', onChange);
  return (snapshot) => {
    const now = Date.now();
    const shown = creditsAtClock(snapshot, now, isFreeOff);
    clearTimeout(timer);
    const next = shown?.credits ? nextChange(shown.credits, now) : null;
    if (next !== null) timer = setTimeout(onChange, Math.min(next - now, LONGEST_TIMER_MS));
    return shown;
  };
}

function endsFree(published: unknown): boolean {
  return readPublished(published)?.catalog.free === null;
}

/**
 * The snapshot as it holds at `now`: periods have begun, and ended. The same object where there is nothing to count.
 *
 * @param isFreeOff the catalogue gives no free credits any more: those that are left can't be spent
 */
export function creditsAtClock(
  snapshot: EntitlementSnapshot | null,
  now: Millis,
  isFreeOff = false,
): EntitlementSnapshot | null {
  const credits = snapshot?.credits ?? null;
  if (snapshot === null || credits?.pools === undefined) return snapshot;
  const pools = credits.pools.filter(isPool);
  const known = isFreeOff ? withoutFree(credits, pools) : { ...credits, pools };
  return { ...snapshot, credits: atClock(known, now) };
}

/** Without free credits, as the service answers (functions/src/free/budget.ts): so without any in its own answer. */
function withoutFree(credits: SnapshotCredits, pools: readonly SnapshotPool[]): SnapshotCredits {
  const free = credits.asOf === undefined ? pools.filter(isFreePool) : [];
  const hidden = free.reduce((sum, { left, held = 0 }) => sum + Math.max(0, left - held), 0);
  return {
    ...credits,
    allowance: credits.allowance - hidden,
    pools: pools.filter((pool) => !isFreePool(pool)),
  };
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
function isPool(value: unknown): value is SnapshotPool {
  if (typeof value !== 'object' || value === null) return false;
  const {
    every,
    until,
    limits,
    used,
    held,
    ...pool
  }: Readonly<Partial<Record<keyof SnapshotPool, unknown>>> = value;
  const numbers = [pool.amount, pool.anchor, pool.from, pool.left, pool.period];
  return (
    numbers.every(isTime) &&
    (until === null || isTime(until)) &&
    isEvery(every) &&
    (held === undefined || isTime(held)) &&
    (limits === undefined || (Array.isArray(limits) && limits.every((limit) => isEvery(limit?.every)))) &&
    (used === undefined || Array.isArray(used))
  );
}

function isEvery(value: unknown): boolean {
  return value === 'once' || isPeriod(value);
}
