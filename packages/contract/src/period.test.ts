import { expect, it } from 'vitest';
import { isPeriod } from './period.ts';

it.each(['month', 'week', 'day', '1h', '5h', '9999h'])('%s is a period', (value) => {
  expect(isPeriod(value)).toBe(true);
});

const OTHERS = ['once', 'year', '0h', '05h', '10000h', '1.5h', '-1h', '5H', ' 5h', '5h\n', 'h', '', 5, null];

it.each([...OTHERS, ['day']])('%j is not a period', (value) => {
  expect(isPeriod(value)).toBe(false);
});
