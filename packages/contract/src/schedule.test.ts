import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Period } from './period.ts';
import {
  advance,
  endOf,
  NOT_BEGUN,
  nextCreditsAt,
  nextPeriodAt,
  type Pool,
  periodAt,
  spendableOf,
  spendOf,
} from './schedule.ts';
import { DAY, HOUR } from './time.ts';

const at = (text: string): number => Date.parse(`${text}Z`);
const show = (millis: number): string => new Date(millis).toISOString().slice(0, 16);

/** 100 a month from 31 January on, of which no period was seen. */
function aPool(over: Partial<Pool> = {}): Pool {
  const anchor = over.anchor ?? at('2026-01-31T10:00');
  return {
    ...{ source: 'sub_1', kind: 'allowance', amount: 100, every: 'month', anchor, from: anchor, until: null },
    ...{ left: 0, period: NOT_BEGUN },
    ...over,
  };
}

const anyPeriod = fc.constantFrom<Period>('month', 'week', 'day', '5h', '1h', '48h');
const anyInstant = fc.integer({ min: at('1995-01-01T00:00'), max: at('2110-01-01T00:00') });

describe('periods', () => {
  it.each([
    ['2026-01-31T10:00', '2026-02-28T10:00', '2026-03-31T10:00'],
    ['2024-01-31T10:00', '2024-02-29T10:00', '2024-03-31T10:00'],
    ['2024-02-29T10:00', '2025-02-28T10:00', '2025-03-29T10:00'],
    ['2026-08-30T23:59', '2027-02-28T23:59', '2027-03-30T23:59'],
    ['2096-01-31T00:00', '2100-02-28T00:00', '2100-03-31T00:00'],
  ])('of months from %s on include one from %s to %s', (anchor, start, end) => {
    const found = periodAt(at(anchor), 'month', at(start));
    expect([show(found.start), show(found.end)]).toEqual([start, end]);
    expect(periodAt(at(anchor), 'month', at(end) - 1)).toEqual(found);
  });

  it('of months are the calendar’s, whatever the anchor: as Date has them', () => {
    fc.assert(
      fc.property(anyInstant, fc.integer({ min: -1_200, max: 1_200 }), (anchor, months) => {
        const date = new Date(anchor);
        const first = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
        const next = new Date(first);
        const days = new Date(Date.UTC(next.getUTCFullYear(), next.getUTCMonth() + 1, 0)).getUTCDate();
        const day = Math.min(date.getUTCDate(), days) - 1;
        const expected = first + day * DAY + (((anchor % DAY) + DAY) % DAY);
        expect(show(periodAt(anchor, 'month', expected).start)).toBe(show(expected));
        expect(periodAt(anchor, 'month', expected - 1).end).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it('cover every instant once, before the anchor too', () => {
    fc.assert(
      fc.property(anyInstant, anyPeriod, anyInstant, (anchor, every, now) => {
        const { start, end } = periodAt(anchor, every, now);
        expect(start <= now && now < end).toBe(true);
        expect(periodAt(anchor, every, start - 1).end).toBe(start);
        expect(periodAt(anchor, every, end).start).toBe(end);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a pool', () => {
  it('has nothing before it begins, and all of a period at its first instant', () => {
    const pool = aPool();
    expect(advance(pool, pool.from - 1)).toBe(pool);
    expect(advance(pool, pool.from)).toMatchObject({ left: 100, period: pool.from });
    expect(nextPeriodAt(pool, pool.from - 1)).toBe(pool.from);
  });

  it('that begins within a period has all of it, and the next one in its time', () => {
    const pool = aPool({ from: at('2026-02-10T00:00') });
    const begun = advance(pool, at('2026-02-11T00:00'));
    expect(begun).toMatchObject({ left: 100, period: pool.from });
    const spent = spendOf(begun, 60, at('2026-02-11T00:00'));
    expect(advance(spent, at('2026-02-28T09:59'))).toBe(spent);
    expect(advance(spent, at('2026-02-28T10:00'))).toMatchObject({ left: 100 });
    expect(advance({ ...spent, from: at('2026-02-12T00:00') }, at('2026-02-13T00:00'))).toMatchObject({
      left: 40,
    });
  });

  it('is the very same while nothing changes, so that nothing is written', () => {
    const pool = advance(aPool(), at('2026-03-05T00:00'));
    expect(advance(pool, at('2026-03-30T00:00'))).toBe(pool);
  });

  it('never gets a period again, whichever way the clock goes', () => {
    fc.assert(
      fc.property(anyPeriod, fc.array(anyInstant, { maxLength: 30 }), (every, clocks) => {
        let pool = aPool({ every, from: at('2000-01-01T00:00') });
        let latest = NOT_BEGUN;
        for (const now of clocks) {
          const next = advance(pool, now);
          const isNew = next.left > pool.left;
          if (isNew) expect(next.period).toBeGreaterThan(latest);
          latest = Math.max(latest, next.period);
          expect(next.period).toBe(latest);
          pool = spendOf(next, next.left, now);
        }
      }),
    );
  });

  it('goes on to what is paid, and what is left of the last period for as long as its grace', () => {
    const until = at('2026-03-31T10:00');
    const pool = advance(aPool({ until, grace: DAY }), until - 1);
    expect(endOf(pool)).toBe(until + DAY);
    expect(advance(pool, until + DAY - 1)).toBe(pool);
    expect(advance(pool, until + DAY)).toMatchObject({ left: 0 });
    expect(advance({ ...pool, until: at('2026-04-30T10:00') }, until)).toMatchObject({
      left: 100,
      period: until,
    });
    expect(nextPeriodAt(pool, until - 1)).toBeNull();
  });

  it('without grace ends with its last period', () => {
    const until = at('2026-03-31T10:00');
    expect(advance(advance(aPool({ until }), until - 1), until)).toMatchObject({ left: 0 });
  });

  it('of once begins once and ends at its end', () => {
    const anchor = at('2026-01-31T10:00');
    const pool = advance(aPool({ kind: 'pack', every: 'once', until: anchor + 90 * DAY }), anchor + DAY);
    expect(pool).toMatchObject({ left: 100, period: anchor });
    expect(advance(pool, anchor + 90 * DAY - 1)).toBe(pool);
    const ended = advance(pool, anchor + 90 * DAY);
    expect(ended).toMatchObject({ left: 0 });
    expect(advance(ended, anchor + DAY)).toBe(ended);
    expect([endOf(pool), nextPeriodAt(pool, anchor + DAY)]).toEqual([anchor + 90 * DAY, null]);
  });
});

describe('what rolls over', () => {
  it('is what was left, up to the cap', () => {
    const pool = advance(aPool({ rollover: 30 }), at('2026-02-01T00:00'));
    expect(advance({ ...pool, left: 20 }, at('2026-03-01T00:00')).left).toBe(120);
    expect(advance({ ...pool, left: 90 }, at('2026-03-01T00:00')).left).toBe(130);
  });

  it('is the same whether a period is looked at or skipped, and never above the cap', () => {
    const cases = fc.record({
      rollover: fc.nat(500),
      left: fc.nat(200),
      every: anyPeriod,
      looks: fc.array(fc.nat(400 * DAY), { maxLength: 12 }),
      from: fc.nat(40 * DAY),
      isNew: fc.boolean(),
    });
    fc.assert(
      fc.property(cases, ({ rollover, left, every, looks, from, isNew }) => {
        const anchor = at('2026-01-31T10:00');
        const start = periodAt(anchor, every, anchor + from).start;
        const state = isNew
          ? { left: 0, period: NOT_BEGUN }
          : { left, period: Math.max(start, anchor + from) };
        const pool = aPool({ rollover, every, from: anchor + from, ...state });
        const end = anchor + from + 400 * DAY;
        const looked = looks
          .sort((a, b) => a - b)
          .reduce((now, ms) => advance(now, anchor + from + ms), pool);
        expect(advance(looked, end)).toEqual(advance(pool, end));
        expect(advance(pool, end).left).toBeLessThanOrEqual(100 + rollover);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a limit', () => {
  const limited = (over: Partial<Pool> = {}) =>
    aPool({
      limits: [
        { amount: 10, every: '5h' },
        { amount: 25, every: 'day' },
      ],
      ...over,
    });
  const anchor = at('2026-01-31T10:00');

  it('keeps back what is above it until its window ends', () => {
    let pool = spendOf(advance(limited(), anchor), 10, anchor + HOUR);
    expect(spendableOf(pool, anchor + 2 * HOUR)).toBe(0);
    expect(nextCreditsAt(pool, anchor + 2 * HOUR)).toBe(anchor + 5 * HOUR);
    expect(spendableOf(pool, anchor + 5 * HOUR)).toBe(10);
    pool = spendOf(spendOf(pool, 10, anchor + 5 * HOUR), 5, anchor + 10 * HOUR);
    expect(spendableOf(pool, anchor + 15 * HOUR)).toBe(0);
    expect(nextCreditsAt(pool, anchor + 15 * HOUR)).toBe(anchor + DAY);
    expect(spendableOf(pool, anchor + DAY)).toBe(10);
    expect(pool.left).toBe(75);
  });

  it('never keeps back less because a clock went back', () => {
    const pool = spendOf(advance(limited(), anchor + 6 * HOUR), 10, anchor + 6 * HOUR);
    expect(spendableOf(pool, anchor + HOUR)).toBe(0);
  });

  it('goes on over the beginning of a period', () => {
    const pool = limited({ every: 'day', limits: [{ amount: 120, every: 'week' }] });
    const spent = spendOf(advance(pool, anchor), 100, anchor);
    expect(spendableOf(advance(spent, anchor + DAY), anchor + DAY)).toBe(20);
  });

  it('lets no more than it says through in any window, whatever is asked for and when', () => {
    const asks = fc.array(fc.tuple(fc.nat(60 * DAY), fc.integer({ min: 1, max: 12 })), { maxLength: 60 });
    fc.assert(
      fc.property(asks, (asked) => {
        let pool = limited({ amount: 1_000 });
        const spent = new Map<string, number>();
        // With a clock that went back, a spend counts in the newest window that was seen.
        let latest = anchor;
        for (const [after, credits] of asked) {
          const now = anchor + after;
          pool = advance(pool, now);
          if (spendableOf(pool, now) < credits) continue;
          pool = spendOf(pool, credits, now);
          latest = Math.max(latest, now);
          for (const { amount, every } of pool.limits ?? []) {
            const key = `${every} ${periodAt(anchor, every, latest).start}`;
            spent.set(key, (spent.get(key) ?? 0) + credits);
            expect(spent.get(key)).toBeLessThanOrEqual(amount);
          }
        }
      }),
    );
  });
});
