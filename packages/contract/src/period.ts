/**
 * How long a period of credits is. In a file of its own, since the extension's worker asks whether a stored period is
 * one and has no room for the schedule (schedule.ts says what periods do).
 */

/** `5h`: every five hours. A month is the calendar's, and shorter ones take their last day. */
export type Period = 'month' | 'week' | 'day' | `${number}h`;

/** Whole hours, up to 9,999 of them. */
const PERIOD = /^(?:month|week|day|[1-9]\d{0,3}h)$/;

/** Whether a value from outside is a period. */
export function isPeriod(value: unknown): value is Period {
  return typeof value === 'string' && PERIOD.test(value);
}
