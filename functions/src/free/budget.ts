import { type OwnedCredits, spendCredits } from '@extension-billing/contract/credits';
import type { Millis } from '@extension-billing/contract/customer';
import type { Pool } from '@extension-billing/contract/schedule';
import { freePoolOf } from './decide.ts';

// How many of an account's free credits may be drawn on, under the ceiling of the day.

/**
 * The credits as if no more than `most` of the free ones were there: the rest is as good as gone until the ceiling is
 * lifted. The very same object where that hides nothing.
 */
export function withFreeUpTo<Owned extends OwnedCredits>(owned: Owned, most: number): Owned {
  const free = freePoolOf(owned.pools);
  return free === null || free.left <= most ? owned : changed(owned, free, most - free.left);
}

/** Advanced credits once `credits` of them are spent, of the free ones no more than `most`. */
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
