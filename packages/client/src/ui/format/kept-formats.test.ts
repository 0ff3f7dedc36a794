import { expect, it } from 'vitest';
import { dateFormat, numberFormat } from './kept-formats.ts';

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
