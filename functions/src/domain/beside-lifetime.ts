import { ownsLifetime } from './entitlement.ts';
import type { Facts } from './facts.ts';
import { endingOf } from './subscription-fact.ts';

/**
 * Ids of the subscriptions that would charge the owner of a lifetime plan again, as far as is known; null for those who
 * own none.
 */
export function subscriptionsToEnd(facts: Facts): readonly string[] | null {
  if (!ownsLifetime(facts)) return null;
  return Object.entries(facts.subscriptions)
    .filter(([, { state }]) => endingOf(state) !== null)
    .map(([id]) => id);
}
