import { textLocale, userLocale } from './text/texts.ts';

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

/** Whole days from now until then, a started day counted whole; never below 0. */
export function daysLeft(until: number, now: number): number {
  return Math.max(0, Math.ceil((until - now) / DAY_MS));
}

/** Whole credits, grouped: "1,000". */
export function formatCount(count: number, locale = userLocale()): string {
  return numberFormat(locale).format(count);
}

/**
 * An amount in minor units as money in the user's locale. ISO 4217 says how many decimals a currency has, and Intl
 * knows it: 900 "usd" is $9.00, 900 "jpy" is ¥900.
 */
export function formatMoney(amount: number, currency: string, locale = userLocale()): string {
  const format = moneyFormat(currency, locale);
  return format.format(amount / 10 ** decimalsOf(format));
}

/** As `formatMoney`, without decimals where they are all zero: "$9", "$7.50". For prices shown large. */
export function formatPrice(amount: number, currency: string, locale = userLocale()): string {
  const style = {
    style: 'currency',
    currency: currency.toUpperCase(),
    trailingZeroDisplay: 'stripIfInteger',
  } as const;
  return numberFormat(locale, style).format(amount / 10 ** decimalsOf(moneyFormat(currency, locale)));
}

function moneyFormat(currency: string, locale: string): Intl.NumberFormat {
  return numberFormat(locale, { style: 'currency', currency: currency.toUpperCase() });
}

function decimalsOf(format: Intl.NumberFormat): number {
  return format.resolvedOptions().maximumFractionDigits ?? 2;
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
