import { textLocale } from '../text/text-locale.ts';
import { userLocale } from '../text/texts.ts';
import { dateFormat, numberFormat } from './kept-formats.ts';

const DAY_MS = 86_400_000;

/** A day as people say it: "Nov 28" this year, "Nov 28, 2027" in another. Times are milliseconds since the epoch. */
export function formatDay(at: number, now: number, locale = textLocale()): string {
  const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return dateFormat(locale, {
    month: 'short',
    day: 'numeric',
    ...(sameYear ? {} : { year: 'numeric' }),
  }).format(at);
}

/** When something was last known: the time of day, with the day in front when it was not today. */
export function formatMoment(at: number, now: number, locale = textLocale()): string {
  const today = new Date(at).toDateString() === new Date(now).toDateString();
  return dateFormat(locale, {
    hour: 'numeric',
    minute: '2-digit',
    ...(today ? {} : { month: 'short', day: 'numeric' }),
  }).format(at);
}

/** A day that the service counts, in UTC (`2026-11-21`), as people say it: "Nov 21". */
export function formatUtcDay(day: string, locale = textLocale()): string {
  const format = dateFormat(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' });
  return format.format(Date.parse(day));
}

/** Whole days from now until then, a started day counted whole; never below 0. */
export function daysLeft(until: number, now: number): number {
  return Math.max(0, Math.ceil((until - now) / DAY_MS));
}

/** Whole credits, grouped: "1,000". */
export function formatCount(count: number, locale = userLocale()): string {
  return numberFormat(locale).format(count);
}
