import { describe, expect, it } from 'vitest';
import { countWithin, rateFor } from './fleet.ts';
import { describeLoad, figuresOf } from './load-figures.ts';

const aRun = (times: readonly number[], over: object = {}) => ({
  ...{ times, failures: 0, calls: { Commit: times.length }, late: { p50: 0.5, p99: 2 } },
  ...over,
});
const upTo = (count: number, by = 1) => Array.from({ length: count }, (_, n) => n * by);

describe('the figures of a load', () => {
  it('are of all runs together, with the lowest and the highest of the runs beside them', () => {
    const { p50, samples } = figuresOf([aRun([1, 2, 3]), aRun([4, 5, 6]), aRun([2, 3, 4])]);
    expect(samples).toBe(9);
    expect(p50).toEqual({ all: 3, low: 2, high: 5 });
  });

  it('have a p99 only where ten thousand were measured', () => {
    expect(figuresOf([aRun(upTo(5_000)), aRun(upTo(4_999))]).p99).toBeNull();
    const enough = figuresOf([aRun(upTo(5_000)), aRun(upTo(5_000, 2))]);
    expect(enough.p99).toMatchObject({ low: 4_950, high: 9_900 });
    expect(describeLoad(enough)).toContain('p99 ');
    expect(describeLoad(figuresOf([aRun(upTo(10))]))).toContain('p90 9.0 ms (9.0 to 9.0), 10 samples');
  });

  it('count the calls of all methods for each operation, failed ones too, and say how many failed', () => {
    const figures = figuresOf([
      aRun([1, Number.NaN, 3, 4], { failures: 1, calls: { Commit: 5, BatchGetDocuments: 3 } }),
    ]);
    expect(figures).toMatchObject({ calls: 2, failures: 1, samples: 3, p50: { all: 3 } });
  });
});

describe('the rate of the loads', () => {
  it('is a share of what the machine can do, within what a run has time for', () => {
    expect(rateFor(612)).toBe(240);
    expect(rateFor(5_000)).toBe(400);
    expect(rateFor(20)).toBe(40);
    expect(countWithin(3_400, 240)).toBe(3_400);
    expect(countWithin(3_400, 40)).toBe(800);
  });
});
