import { balancesOf, type CreditParts, drawn, heldOf, type Millis, NO_CREDITS } from './customer.ts';
import type { PeriodEntry } from './ledger.ts';
import { advance, endOf, type Pool, spendableOf, spendOf } from './schedule.ts';

/**
 * What an account owns, in pools and beside them, and what of it can be spent at an instant. Pure; server and pages ask
 * the same functions (docs/decisions/credits-by-the-clock.md#pools-are-part-of-the-balances).
 */

/** The credits that are owned, as they were when they were last written. */
export interface OwnedCredits {
  /** With what is left of the pools. */
  readonly balances: CreditParts;
  /** No more left in them than the balances have. */
  readonly pools: readonly Pool[];
  /** When what the allowance has beside the pools ends; null where nothing says so. */
  readonly planEnds: Millis | null;
}

interface Hold {
  readonly credits: number;
  readonly expiresAt: Millis;
}

/** As much of a record as says which credits there are. */
export interface CreditRecord {
  readonly creditsAllowance?: number;
  readonly packCreditsRemaining?: number;
  readonly currentPeriodEnd: Millis | null;
  readonly allowances?: readonly Pool[];
  readonly creditHolds?: readonly Hold[];
}

/**
 * The credits of a record, as written; null for an account without credits. The balances count: where somebody lowered
 * them below the pools, what is missing was spent of the pools; where somebody raised them, the rest is beside them.
 */
export function ownedCredits(record: CreditRecord | null): OwnedCredits | null {
  const balances = balancesOf(record);
  if (record === null || balances === null) return null;
  const pools = record.allowances ?? [];
  const missing = {
    allowance: Math.max(0, leftIn(pools, 'allowance') - balances.allowance),
    packs: Math.max(0, leftIn(pools, 'pack') - balances.packs),
  };
  return { balances, pools: without(pools, missing), planEnds: record.currentPeriodEnd };
}

function without(pools: readonly Pool[], missing: CreditParts): readonly Pool[] {
  if (missing.allowance === 0 && missing.packs === 0) return pools;
  const due = { allowance: missing.allowance, pack: missing.packs };
  const taken = new Map<Pool, number>();
  for (const pool of inOrder(pools)) {
    const credits = Math.min(due[pool.kind], pool.left);
    due[pool.kind] -= credits;
    taken.set(pool, credits);
  }
  return pools.map((pool) => ({ ...pool, left: pool.left - (taken.get(pool) ?? 0) }));
}

function leftIn(pools: readonly Pool[], kind: Pool['kind']): number {
  return pools.reduce((sum, pool) => (pool.kind === kind ? sum + pool.left : sum), 0);
}

/** The credits of pools and of what is beside them. */
export function ownedWith(
  beside: CreditParts,
  pools: readonly Pool[],
  planEnds: Millis | null,
): OwnedCredits {
  const balances = {
    allowance: beside.allowance + leftIn(pools, 'allowance'),
    packs: beside.packs + leftIn(pools, 'pack'),
  };
  return { balances, pools, planEnds };
}

/** Credits that no clock changes. */
export function besidePools({ balances, pools }: OwnedCredits): CreditParts {
  return {
    allowance: balances.allowance - leftIn(pools, 'allowance'),
    packs: balances.packs - leftIn(pools, 'pack'),
  };
}

/** The same credits as they are at `now`: periods have begun, and ended. The very same object where nothing has changed. */
export function advanceCredits<Owned extends OwnedCredits>(owned: Owned, now: Millis): Owned {
  const pools = owned.pools.map((pool) => advance(pool, now));
  if (pools.every((pool, index) => pool === owned.pools[index])) return owned;
  return { ...owned, ...ownedWith(besidePools(owned), pools, owned.planEnds) };
}

/**
 * What the clock did since the record was written; null where it moved nothing. Its time is just before `now`, so that
 * whoever reads the ledger by its times finds it before what was written on top of it.
 */
export function periodEntry(
  before: OwnedCredits | null,
  { balances, pools }: OwnedCredits,
  now: Millis,
): PeriodEntry | null {
  const { allowance, packs } = before?.balances ?? NO_CREDITS;
  const granted = pools.reduce((sum, pool) => {
    const known = before?.pools.find(({ source }) => source === pool.source);
    if (pool.period === known?.period) return sum;
    return sum + pool.left - Math.min(known?.left ?? 0, pool.rollover ?? 0);
  }, 0);
  const deltaAllowance = balances.allowance - allowance;
  const deltaPack = balances.packs - packs;
  if (deltaAllowance === 0 && deltaPack === 0) return null;
  return {
    ...{ id: `period_${now}`, kind: 'period', granted, deltaAllowance, deltaPack },
    ...{ allowance: balances.allowance, packCredits: balances.packs, createdAt: now - 1 },
  };
}

/** The fields of a record that say what is owned. */
export function toCreditFields({ balances, pools }: OwnedCredits) {
  return {
    creditsRemaining: balances.allowance + balances.packs,
    creditsAllowance: balances.allowance,
    packCreditsRemaining: balances.packs,
    ...(pools.length > 0 && { allowances: pools }),
  };
}

/** The record as it would be written at `now`, where nothing but the clock has changed it. */
export function recordAt<Stored extends CreditRecord>(record: Stored, now: Millis): Stored {
  const owned = ownedCredits(record);
  return owned === null ? record : { ...record, ...toCreditFields(advanceCredits(owned, now)) };
}

/** What of advanced credits no limit keeps back at `now`; with what is held. */
export function unlimited(owned: OwnedCredits, now: Millis): CreditParts {
  if (owned.pools.length === 0) return owned.balances;
  const { allowance, packs } = besidePools(owned);
  const spendable = owned.pools.map((pool) => ({ ...pool, left: spendableOf(pool, now) }));
  return { allowance: allowance + leftIn(spendable, 'allowance'), packs: packs + leftIn(spendable, 'pack') };
}

/**
 * Advanced credits once `credits` of them are spent: the allowance before packs, and of each what ends first. Never
 * below zero, and no more than the limits let through.
 */
export function spendCredits<Owned extends OwnedCredits>(owned: Owned, credits: number, now: Millis): Owned {
  if (owned.pools.length === 0) return { ...owned, balances: drawn(owned.balances, credits) };
  const { balances, planEnds } = owned;
  const beside = besidePools(owned);
  const ofAllowance = spendOfKind(
    owned.pools,
    'allowance',
    { left: beside.allowance, end: planEnds },
    credits,
    now,
  );
  const due = credits - ofAllowance.spent;
  const ofPacks = spendOfKind(ofAllowance.pools, 'pack', { left: beside.packs, end: null }, due, now);
  return {
    ...owned,
    balances: {
      allowance: balances.allowance - ofAllowance.spent,
      packs: balances.packs - ofPacks.spent,
    },
    pools: ofPacks.pools,
  };
}

/** Takes what ends first, of the pools and of what is beside them; the balances are the caller's to lower. */
function spendOfKind(
  pools: readonly Pool[],
  kind: Pool['kind'],
  beside: { readonly left: number; readonly end: Millis | null },
  credits: number,
  now: Millis,
): { readonly pools: readonly Pool[]; readonly spent: number } {
  const after = [...pools];
  let due = credits;
  const ofKind = inOrder(pools).filter((pool) => pool.kind === kind);
  const before = ofKind.filter((pool) => !isLater(endOf(pool), beside.end));
  for (const pool of [...before, null, ...ofKind.slice(before.length)]) {
    const spent = Math.min(due, pool === null ? beside.left : spendableOf(pool, now));
    due -= spent;
    if (pool !== null) after[pools.indexOf(pool)] = spendOf(pool, spent, now);
  }
  return { pools: after, spent: credits - due };
}

/** What ends first comes first, and what never ends last; what ends together, by its source. */
function inOrder(pools: readonly Pool[]): readonly Pool[] {
  return [...pools].sort((a, b) => {
    const [one, other] = [endOf(a), endOf(b)];
    if (one === other) return a.source < b.source ? -1 : 1;
    return isLater(one, other) ? 1 : -1;
  });
}

function isLater(one: Millis | null, other: Millis | null): boolean {
  return other !== null && (one === null || one > other);
}

/**
 * What of advanced credits can be spent at `now`: what is owned and not limited, less what is held. The one answer to it:
 * consume, reserve, the balance route and the extension's snapshot all ask here.
 */
export function availableOf(owned: OwnedCredits, holds: readonly Hold[], now: Millis): CreditParts {
  return drawn(unlimited(owned, now), heldOf(holds, now));
}

/** What the owner of a record can spend at `now`; null for an account without credits. */
export function creditsAt(record: CreditRecord | null, now: Millis): CreditParts | null {
  const owned = ownedCredits(record);
  if (record === null || owned === null) return null;
  return availableOf(advanceCredits(owned, now), record.creditHolds ?? [], now);
}

/** An account that owns nothing, and may be given pools. */
export const OWNS_NOTHING: OwnedCredits = { balances: NO_CREDITS, pools: [], planEnds: null };
