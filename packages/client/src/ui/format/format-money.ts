import { userLocale } from '../text/texts.ts';
import { numberFormat } from './kept-formats.ts';

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
