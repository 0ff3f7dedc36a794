import { describe, expect, it } from 'vitest';
import { chooseCurrency, parseCurrency } from './currency.ts';

describe('the currency that a page asks prices in', () => {
  it.each([
    ['de-AT', 'eur'],
    ['de', 'eur'],
    ['de-CH', 'chf'],
    ['en-GB', 'gbp'],
    ['en', 'usd'],
    ['ja', 'jpy'],
    ['zh-Hant-TW', 'twd'],
    ['pt-BR', 'brl'],
    ['en-AQ', undefined],
    ['not a locale', undefined],
  ])('is for %s that of its region: %s', (locale, currency) => {
    expect(chooseCurrency(null, locale)).toBe(currency);
  });

  it('is what its user chose, wherever they are', () => {
    expect(chooseCurrency('usd', 'de-AT')).toBe('usd');
  });
});

it.each(['EUR', 'euro', '', 5, null, { currency: 'eur' }])('%j in storage is no choice', (value) => {
  expect(parseCurrency(value)).toBeNull();
});
