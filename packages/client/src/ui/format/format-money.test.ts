import { expect, it } from 'vitest';
import { formatMoney, formatPrice } from './format-money.ts';

it('shows minor units with the decimals of the currency', () => {
  expect(formatMoney(900, 'usd', 'en-US')).toBe('$9.00');
  expect(formatMoney(900, 'jpy', 'en-US')).toBe('¥900');
  expect(formatMoney(1234, 'kwd', 'en-US')).toMatch(/^KWD\s1\.234$/);
});

it('writes money as the user’s locale does', () => {
  expect(formatMoney(123_450, 'eur', 'de-DE')).toMatch(/^1\.234,50\s€$/);
  expect(formatMoney(1900, 'usd', 'fr-FR')).toMatch(/^19,00\s\$US$/);
});

it('leaves out decimals only when there are none to show', () => {
  expect(formatPrice(900, 'usd', 'en-US')).toBe('$9');
  expect(formatPrice(750, 'usd', 'en-US')).toBe('$7.50');
  expect(formatPrice(900, 'jpy', 'ja-JP')).toMatch(/^[¥￥]900$/);
});
