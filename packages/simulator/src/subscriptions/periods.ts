/** How long a billing period is. */
export interface Interval {
  unit: 'day' | 'week' | 'month' | 'year';
  count: number;
}

const DAY = 86_400;

/** `anchor` plus `months`, on the anchor's day of the month or that month's last, UTC. */
function monthsAfter(anchor: number, months: number): number {
  const date = new Date(anchor * 1000);
  const first = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
  const month = new Date(first);
  const lastDay = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 0)).getUTCDate();
  const timeOfDay = anchor - Math.floor(anchor / DAY) * DAY;
  return first / 1000 + (Math.min(date.getUTCDate(), lastDay) - 1) * DAY + timeOfDay;
}

/** The start of the nth period after the anchor, in seconds. A 31st falls on shorter months' last day. */
export function periodBoundary(anchor: number, interval: Interval, n: number): number {
  const steps = n * interval.count;
  switch (interval.unit) {
    case 'day':
      return anchor + steps * DAY;
    case 'week':
      return anchor + steps * 7 * DAY;
    case 'month':
      return monthsAfter(anchor, steps);
    case 'year':
      return monthsAfter(anchor, steps * 12);
    default:
      return interval.unit satisfies never;
  }
}

/** The end of the period that begins at `start`: the first boundary after it. */
export function periodEnd(anchor: number, interval: Interval, start: number): number {
  const length = periodBoundary(anchor, interval, 1) - anchor;
  let n = Math.max(0, Math.floor((start - anchor) / length) - 1);
  while (periodBoundary(anchor, interval, n) <= start) n += 1;
  return periodBoundary(anchor, interval, n);
}

/** The period that a moment falls into: its start is the last boundary that is not after `at`. */
export function periodAround(anchor: number, interval: Interval, at: number): { start: number; end: number } {
  const end = periodEnd(anchor, interval, at);
  let n = 0;
  while (periodBoundary(anchor, interval, n + 1) < end) n += 1;
  return { start: periodBoundary(anchor, interval, n), end };
}

/** A price's interval; a price that is paid once has none. */
export function intervalOf(recurring: { interval: string; interval_count: number } | null): Interval | null {
  if (recurring === null) return null;
  const { interval } = recurring;
  if (interval !== 'day' && interval !== 'week' && interval !== 'month' && interval !== 'year') return null;
  return { unit: interval, count: recurring.interval_count };
}
