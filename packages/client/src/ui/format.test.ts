import { DAY } from '@extension-billing/contract/time';
import { expect, it } from 'vitest';
import {
  dateFormat,
  daysLeft,
  formatCount,
  formatDay,
  formatMoment,
  formatMoney,
  formatPrice,
  numberFormat,
} from './format.ts';

const NOW = new Date(2026, 10, 21, 12, 0).getTime();

it('names the year only when it is another', () => {
  expect(formatDay(NOW + 7 * DAY, NOW, 'en-US')).toBe('Nov 28');
  expect(formatDay(NOW + 365 * DAY, NOW, 'en-US')).toBe('Nov 21, 2027');
  expect(formatDay(NOW + 7 * DAY, NOW, 'de-DE')).toBe('28. Nov.');
});

it('says the time of something today, and the day of anything older', () => {
  expect(formatMoment(NOW - 3_600_000, NOW, 'en-US')).toMatch(/^11:00\sAM$/);
  expect(formatMoment(NOW - DAY, NOW, 'en-US')).toMatch(/^Nov 20, 12:00\sPM$/);
});

it('counts a started day as a day left, and none after the end', () => {
  expect(daysLeft(NOW + 7 * DAY, NOW)).toBe(7);
  expect(daysLeft(NOW + 6 * DAY + 1, NOW)).toBe(7);
  expect(daysLeft(NOW - 1, NOW)).toBe(0);
});

it('groups the digits of a count', () => {
  expect(formatCount(1000, 'en-US')).toBe('1,000');
  expect(formatCount(1000, 'de-DE')).toBe('1.000');
});

it('shows minor units with the decimals of the currency', () => {
  expect(formatMoney(900, 'usd', 'en-US')).toBe('$9.00');
  expect(formatMoney(900, 'jpy', 'en-US')).toBe('¥900');
  expect(formatMoney(1234, 'kwd', 'en-US')).toMatch(/^KWD\s1\.234$/);
});

it('counts the decimals that Stripe counts, not those of Intl', () => {
  expect(formatMoney(399_000, 'huf', 'en-US')).toMatch(/^HUF\s3,990\.00$/);
  expect(formatPrice(399_000, 'huf', 'en-US')).toMatch(/^HUF\s3,990$/);
  expect(formatPrice(1_490_000, 'idr', 'en-US')).toMatch(/^IDR\s14,900$/);
  expect(formatPrice(90_000, 'isk', 'en-US')).toMatch(/^ISK\s900$/);
  expect(formatPrice(4_500, 'mga', 'en-US')).toMatch(/^MGA\s4,500$/);
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

it('makes a format once for a locale and its options, and another for others', () => {
  const euros = { style: 'currency', currency: 'EUR' } as const;
  expect(numberFormat('de-DE', euros)).toBe(numberFormat('de-DE', { ...euros }));
  expect(numberFormat('en-US', euros)).not.toBe(numberFormat('de-DE', euros));
  expect(numberFormat('de-DE')).not.toBe(numberFormat('de-DE', euros));
  expect(numberFormat('de-DE').format(1_000)).toBe('1.000');
  expect(numberFormat('de-DE', euros).format(1_000)).toMatch(/^1\.000,00\s€$/);
});

it('keeps dates apart from numbers', () => {
  const day = { day: 'numeric', timeZone: 'UTC' } as const;
  expect(dateFormat('en-US', day)).toBe(dateFormat('en-US', { ...day }));
  expect(dateFormat('en-US', day).format(Date.UTC(2026, 10, 21))).toBe('21');
  expect(numberFormat('en-US').format(21)).toBe('21');
});
