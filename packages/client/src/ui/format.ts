import { DAY } from '@extension-billing/contract/time';
import { textLocale, userLocale } from './text/texts.ts';

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

/** Whole days from now until then, a started day counted whole; never below 0. */
export function daysLeft(until: number, now: number): number {
  return Math.max(0, Math.ceil((until - now) / DAY));
}

/** Whole credits, grouped: "1,000". */
export function formatCount(count: number, locale = userLocale()): string {
  return numberFormat(locale).format(count);
}

/**
 * An amount in Stripe's minor units as money in the user's locale: 900 "usd" is $9.00, 900 "jpy" is ¥900. Intl's own
 * decimals differ from Stripe's: a browser of 2026 has none for HUF, IDR and COP, and would show a price 100 times as high.
 */
export function formatMoney(amount: number, currency: string, locale = userLocale()): string {
  return moneyFormat(amount, currency, locale);
}

/** As `formatMoney`, without decimals where they are all zero: "$9", "$7.50". For prices shown large. */
export function formatPrice(amount: number, currency: string, locale = userLocale()): string {
  return moneyFormat(amount, currency, locale, { trailingZeroDisplay: 'stripIfInteger' });
}

function moneyFormat(
  amount: number,
  currency: string,
  locale: string,
  options: Intl.NumberFormatOptions = {},
): string {
  const code = currency.toLowerCase();
  const digits = ZERO_DECIMAL.includes(code) ? 0 : THREE_DECIMAL.includes(code) ? 3 : 2;
  const format = numberFormat(locale, {
    ...options,
    style: 'currency',
    currency: currency.toUpperCase(),
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    ...(amount > 0 && amount < 1 && { maximumSignificantDigits: 2 }),
  });
  return format.format(amount / 10 ** digits);
}

/** Stripe, "Supported currencies": all others have two decimals, also ISK and UGX. */
const ZERO_DECIMAL = 'bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf';
const THREE_DECIMAL = 'bhd jod kwd omr tnd';

/** "A, B, and C" or "A, B, or C", as the language of the texts puts it. */
export function formatList(
  items: readonly string[],
  type: 'conjunction' | 'disjunction' = 'conjunction',
  locale = textLocale(),
): string {
  return new Intl.ListFormat(locale, { type }).format(items);
}

const numbers = new Map<string, Intl.NumberFormat>();
const dates = new Map<string, Intl.DateTimeFormat>();

/**
 * `Intl` formats, each made once a page: making one takes ten times as long as all else that a component does, and every
 * new balance would make dozens. Days are those of the time zone that the page was opened in.
 */
export function numberFormat(locale: string, options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  return kept(numbers, locale, options, () => new Intl.NumberFormat(locale, options));
}

/** As `numberFormat`, for dates. */
export function dateFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return kept(dates, locale, options, () => new Intl.DateTimeFormat(locale, options));
}

function kept<Format>(
  formats: Map<string, Format>,
  locale: string,
  options: object,
  make: () => Format,
): Format {
  const key = `${locale} ${JSON.stringify(options)}`;
  const format = formats.get(key) ?? make();
  formats.set(key, format);
  return format;
}
