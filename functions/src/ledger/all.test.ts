import { expect, it } from 'vitest';
import { roundBefore } from './all.ts';

it('a round takes whole months, once the last of their days is old enough', () => {
  const on = (day: string, days: number) => {
    const before = roundBefore(Date.parse(day), days);
    return before === null ? null : new Date(before).toISOString();
  };
  expect(on('2026-11-22T12:00:00Z', 100)).toBe('2026-08-01T00:00:00.000Z');
  expect(on('2026-11-08T23:59:59Z', 100)).toBe('2026-07-01T00:00:00.000Z');
  expect(on('2026-11-22T12:00:00Z', 35)).toBe('2026-10-01T00:00:00.000Z');
  expect(on('2026-11-22T12:00:00Z', 0)).toBe(null);
});
