import type { Millis } from '@extension-billing/contract/customer';
import { DAY } from '@extension-billing/contract/time';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';

/** That a user met the end of the free credits that the whole project gives out in a day. */
export interface FreeCeilingMet {
  /** What they had then. */
  readonly before: EntitlementSnapshot;
  /** When the next day's are given out. */
  readonly until: Millis;
}

/** The end of the day in UTC, which is when the service counts anew. */
export function nextUtcDay(now: Millis): Millis {
  return (Math.floor(now / DAY) + 1) * DAY;
}

/** Whether that still stands in the way: the day is not over, and nothing was bought since. */
export function isFreeCeiling(
  { before, until }: FreeCeilingMet,
  snapshot: EntitlementSnapshot,
  now: Millis,
): boolean {
  const packs = ({ credits }: EntitlementSnapshot): number => credits?.packCredits ?? 0;
  return now < until && snapshot.plan === before.plan && packs(snapshot) <= packs(before);
}
