import type { Millis } from '@extension-billing/contract/customer';

/** The first second that a Firestore Timestamp cannot hold: the year 10000. */
const END_OF_TIME = 253_402_300_800;

/** The instant behind the provider's seconds since the epoch; null where the value is no such time. */
export function readInstant(seconds: unknown): Millis | null {
  if (typeof seconds !== 'number' || !Number.isSafeInteger(seconds)) return null;
  return seconds >= 0 && seconds < END_OF_TIME ? seconds * 1000 : null;
}
