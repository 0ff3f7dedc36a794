import type { Millis } from './customer.ts';

export const SECOND: Millis = 1_000;
export const MINUTE: Millis = 60 * SECOND;
export const HOUR: Millis = 60 * MINUTE;
export const DAY: Millis = 24 * HOUR;

/** Returns the day in UTC as `YYYY-MM-DD`. */
export function dayOf(at: Millis): string {
  return new Date(at).toISOString().slice(0, 10);
}
