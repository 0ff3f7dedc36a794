import type { Millis } from '@extension-billing/contract/customer';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';

/**
 * When the plan brings its next monthly credits. Null where it does not renew, and where its period is over without a
 * word of the next one: it has brought nothing yet, and no day is known.
 */
export function nextCreditsAt(
  { state, currentPeriodEnd }: Pick<EntitlementSnapshot, 'state' | 'currentPeriodEnd'>,
  now: Millis,
): Millis | null {
  const renews = state === 'trial' || state === 'active';
  return renews && currentPeriodEnd !== null && currentPeriodEnd > now ? currentPeriodEnd : null;
}
