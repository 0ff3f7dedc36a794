import type { Millis } from './customer.ts';
import type { CustomerRecord } from './record.ts';

/** Whether a stored record entitles at `now`: what it says holds no longer than it says. */
export function isPaidAt(
  record: Pick<CustomerRecord, 'paid' | 'entitledUntil'> | null,
  now: Millis,
): boolean {
  if (record === null || !record.paid) return false;
  const until = record.entitledUntil ?? null;
  return until === null || now < until;
}
