import { expect, it } from 'vitest';
import { daysLeft, formatCount, formatDay, formatMoment } from './format-date.ts';

const NOW = new Date(2026, 10, 21, 12, 0).getTime();
const DAY = 86_400_000;

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
