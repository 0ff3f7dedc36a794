import { formatMoney } from './money.js';
import type { BillingInterval } from './views.ts';

/** A price with its rhythm: `$9.00 per month`, or only the amount where it is paid once. */
export function priceText(amount: number, currency: string, interval: BillingInterval | null): string {
  const money = formatMoney(amount, currency);
  return interval === null ? money : `${money} per ${interval}`;
}

/** A count of days in words: `1 day`, `7 days`. */
export function daysText(days: number): string {
  return days === 1 ? '1 day' : `${days} days`;
}
