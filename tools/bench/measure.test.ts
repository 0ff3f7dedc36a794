import { describe, expect, it } from 'vitest';
import { acrossRuns, compare, measure, median, quantile, type Sample } from './measure.ts';

describe('quantile', () => {
  it('is the value below which a share of the values lies, in whatever order they come', () => {
    const values = [30, 10, 50, 20, 40];
    expect(quantile(values, 0.5)).toBe(30);
    expect(quantile(values, 0.99)).toBe(50);
    expect(quantile(values, 0)).toBe(10);
    expect(quantile(values, 1)).toBe(50);
  });

  it('of a half is the middle one, of two the mean, which leans to neither side', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([1, 2])).toBe(1.5);
    expect(median([8, 1, 4, 2])).toBe(3);
    expect(median(Array.from({ length: 6 }, (_, n) => n))).toBe(2.5);
  });

  it('is not a number when there are no values, so that no aim is met by nothing', () => {
    expect(median([])).toBeNaN();
  });
});

describe('measure', () => {
  it('keeps as many operations under way as there are connections, and does each once', async () => {
    let underWay = 0;
    let most = 0;
    const done: number[] = [];
    const sample = await measure({ connections: 4, operations: 30 }, async (index) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((turn) => setImmediate(turn));
      underWay -= 1;
      done.push(index);
    });
    expect(most).toBe(4);
    expect(done.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, n) => n));
    expect(sample).toMatchObject({ operations: 30, failures: 0, cpu: null });
  });

  it('counts what throws as a failure and leaves it out of the times', async () => {
    const sample = await measure({ connections: 1, operations: 10 }, async (index) => {
      if (index % 2 === 0) throw new Error('refused');
    });
    expect(sample.failures).toBe(5);
    expect(sample.p50).not.toBeNaN();
    const none = await measure({ connections: 1, operations: 2 }, () => Promise.reject(new Error('refused')));
    expect(none).toMatchObject({ failures: 2, perSecond: 0 });
    expect(none.p50).toBeNaN();
  });

  it('shares the processor time out among the operations', async () => {
    let taken = 100;
    const sample = await measure(
      { connections: 2, operations: 10 },
      async () => {
        taken += 3;
      },
      () => taken,
    );
    expect(sample.cpu).toBe(3);
  });
});

describe('compare', () => {
  /** A contender whose rounds give these latencies. */
  const contender = (...rounds: readonly number[]) => {
    let round = 0;
    return async (): Promise<Sample> => {
      const p50 = rounds[round] ?? Number.NaN;
      round += 1;
      return {
        operations: 1,
        failures: round === 1 ? 7 : 1,
        p50,
        p90: p50,
        perSecond: 1000 / p50,
        cpu: null,
      };
    };
  };

  it('takes the ratio within each round, and the median of the ratios', async () => {
    // The machine was ten times slower in the second counted round, for both.
    const compared = await compare(3, { ours: contender(9, 1, 10, 2), plain: contender(9, 2, 40, 5) });
    expect(compared.ratio('p50', 'ours', 'plain')).toBe(0.4);
    expect(compared.ratio('perSecond', 'ours', 'plain')).toBeCloseTo(2.5);
    expect(compared.typical('p50', 'plain')).toBe(5);
  });

  it('counts nothing of the first round', async () => {
    const compared = await compare(2, { ours: contender(500, 1, 1) });
    expect(compared.samples.ours).toHaveLength(2);
    expect(compared.typical('p50', 'ours')).toBe(1);
    expect(compared.failures()).toBe(2);
  });

  it('says how far the rounds were apart, and of several runs how far those were', async () => {
    const one = await compare(3, { ours: contender(9, 1, 3, 2), plain: contender(9, 2, 2, 2) });
    expect(one.spread('p50', 'ours', 'plain')).toEqual([0.5, 1.5]);
    const other = await compare(2, { ours: contender(6, 6), plain: contender(2, 2) }, true);
    const both = acrossRuns([one, other]);
    expect(both.ratio('p50', 'ours', 'plain')).toBe(1.5);
    expect(both.spread('p50', 'ours', 'plain')).toEqual([1, 3]);
    expect(both.samples.ours).toHaveLength(5);
  });

  it('says that it does not know a figure which was not taken', async () => {
    const compared = await compare(1, { ours: contender(1, 1), plain: contender(1, 1) });
    expect(compared.ratio('cpu', 'ours', 'plain')).toBeNaN();
  });

  it('lets nobody always run behind the same neighbour', async () => {
    const order: string[] = [];
    const noting = (name: string) => {
      const run = contender(1, 1, 1);
      return () => {
        order.push(name);
        return run();
      };
    };
    await compare(2, { a: noting('a'), b: noting('b') });
    expect(order.join('')).toBe('ababba');
  });
});
