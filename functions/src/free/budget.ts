import type { Catalog } from '@extension-billing/contract/catalog';
import {
  besidePools,
  type OwnedCredits,
  ownedCredits,
  ownedWith,
  spendCredits,
  toCreditFields,
} from '@extension-billing/contract/credits';
import { type Millis, unexpired } from '@extension-billing/contract/customer';
import type { CreditHold, CustomerRecord } from '@extension-billing/contract/record';
import { advance, isFreePool, type Pool } from '@extension-billing/contract/schedule';
import { freePoolOf, lapsed } from './decide.ts';

// How many of an account's free credits may be drawn on: none if they are switched off, else up to the day's ceiling.

/**
 * The credits as they are at `now`. Free periods end, but don't begin: each is given (free/give.ts). The same object if
 * nothing has changed.
 */
export function advanceGiven<Owned extends OwnedCredits>(owned: Owned, now: Millis): Owned {
  const pools = owned.pools.map((pool) => (isFreePool(pool) ? lapsed(pool, now) : advance(pool, now)));
  if (pools.every((pool, index) => pool === owned.pools[index])) return owned;
  return { ...owned, ...ownedWith(besidePools(owned), pools, owned.planEnds) };
}

/** The record as it would be written at `now` if only the clock had changed it. */
export function recordGiven(record: CustomerRecord, now: Millis): CustomerRecord {
  const owned = ownedCredits(record);
  return owned === null ? record : { ...record, ...toCreditFields(advanceGiven(owned, now)) };
}

/** Free credits among those that are held. */
export function freeHeld(holds: readonly Pick<CreditHold, 'free'>[]): number {
  return holds.reduce((sum, { free = 0 }) => sum + free, 0);
}

/** The record without free credits, except those that are held already. */
export function withoutFree(record: CustomerRecord | null, now: Millis): CustomerRecord | null {
  const owned = ownedCredits(record);
  const free = owned === null ? null : freePoolOf(owned.pools);
  if (record === null || owned === null || free === null) return record;
  const held = freeHeld(unexpired(record.creditHolds ?? [], now));
  const hidden = Math.max(0, free.left - held);
  const { allowance, packs } = owned.balances;
  return {
    ...record,
    creditsRemaining: allowance + packs - hidden,
    creditsAllowance: allowance - hidden,
    allowances: owned.pools.filter((pool) => pool !== free),
  };
}

/** The record as the service shows it: without free credits if the catalogue has none. */
export function shownRecord(
  record: CustomerRecord | null,
  { free }: Pick<Catalog, 'free'>,
  now: Millis,
): CustomerRecord | null {
  return free === null ? withoutFree(record, now) : record;
}

/** The credits with at most `most` of the free ones. The same object if that hides nothing. */
export function withFreeUpTo<Owned extends OwnedCredits>(owned: Owned, most: number): Owned {
  const free = freePoolOf(owned.pools);
  return free === null || free.left <= most ? owned : changed(owned, free, most - free.left);
}

/** Advanced credits once `credits` of them are spent, at most `most` of them free ones. */
export function spendWithin<Owned extends OwnedCredits>(
  owned: Owned,
  credits: number,
  most: number,
  now: Millis,
): Owned {
  const shown = withFreeUpTo(owned, most);
  const hidden = freeLeft(owned) - freeLeft(shown);
  const after = spendCredits(shown, credits, now);
  const free = freePoolOf(after.pools);
  return free === null || hidden === 0 ? after : changed(after, free, hidden);
}

/** Free credits that are left. */
export function freeLeft({ pools }: Pick<OwnedCredits, 'pools'>): number {
  return freePoolOf(pools)?.left ?? 0;
}

function changed<Owned extends OwnedCredits>(owned: Owned, free: Pool, by: number): Owned {
  const { balances, pools } = owned;
  return {
    ...owned,
    balances: { ...balances, allowance: balances.allowance + by },
    pools: pools.map((pool) => (pool === free ? { ...pool, left: pool.left + by } : pool)),
  };
}
