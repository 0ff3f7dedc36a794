import { describe, expect, it } from 'vitest';
import { seeded } from '../random.ts';
import { quantile } from './measure.ts';
import { arrivals, type Clock, openLoop } from './open-loop.ts';

/** A clock on which a wait takes what it should, and work what it says; `late`: by how much each wait takes longer. */
function aClock(late = 0) {
  let now = 0;
  const waiting: { readonly at: number; readonly go: () => void }[] = [];
  const until = (at: number) => new Promise<void>((go) => waiting.push({ at, go }));
  const clock: Clock = { now: () => now, wait: (ms) => until(now + ms + late) };
  return {
    clock,
    takes: (ms: number) => until(now + ms),
    blockedFor: (ms: number) => {
      now += ms;
    },
    async run<Result>(work: Promise<Result>): Promise<Result> {
      let isOver = false;
      void work.then(() => {
        isOver = true;
      });
      for (;;) {
        for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
        if (isOver) return work;
        waiting.sort((a, b) => a.at - b.at);
        const next = waiting.shift();
        if (next === undefined) throw new Error('nobody waits, and it is not over');
        now = Math.max(now, next.at);
        next.go();
      }
    },
  };
}

describe('an open loop', () => {
  it('counts the times of all who come while the service stands still', async () => {
    const { clock, takes, run } = aClock();
    // One comes each 10 ms and takes 1 ms, but nobody is answered in the first second.
    const at = Array.from({ length: 200 }, (_, n) => n * 10);
    const { times } = await run(openLoop(at, () => takes(Math.max(1, 1_000 - clock.now())), clock));
    // A loop that waits for each answer would have one time of 1,000 ms and 199 of 1 ms.
    expect(times.filter((time) => time > 500)).toHaveLength(50);
    expect(quantile(times, 0.9)).toBeGreaterThan(750);
    expect(quantile(times, 0.75)).toBeGreaterThan(400);
  });

  it('counts what the generator itself is late by, and says how much that was', async () => {
    const { clock, takes, run } = aClock(3);
    const { times, late } = await run(openLoop([10, 30, 50], () => takes(1), clock));
    expect(times).toEqual([4, 4, 4]);
    expect(late).toEqual({ p50: 3, p99: 3 });
  });

  it('begins all who are due when it was held up, and counts from when they should have begun', async () => {
    const { clock, takes, blockedFor, run } = aClock();
    const held = openLoop(
      [10, 20, 30],
      (n) => {
        if (n === 0) blockedFor(100);
        return takes(1);
      },
      clock,
    );
    expect((await run(held)).times).toEqual([101, 91, 81]);
  });

  it('has no time for what failed, and counts it', async () => {
    const { clock, takes, run } = aClock();
    const refused = new Error('refused');
    const answered = openLoop(
      [1, 2],
      async (n) => {
        await takes(5);
        if (n === 0) throw refused;
      },
      clock,
    );
    expect(await run(answered)).toMatchObject({ times: [Number.NaN, 5], failures: 1, failure: refused });
  });
});

describe('arrivals', () => {
  it('come at the rate in the long run, each after the one before, the same with the same seed', () => {
    const at = arrivals(20_000, 200, seeded(3));
    expect(at).toEqual(arrivals(20_000, 200, seeded(3)));
    expect(at).toEqual(at.toSorted((a, b) => a - b));
    expect(at.at(-1)).toBeGreaterThan(97_000);
    expect(at.at(-1)).toBeLessThan(103_000);
  });

  it('come in bunches, as callers do who know nothing of each other', () => {
    const at = arrivals(20_000, 1_000, seeded(5));
    const gaps = at.map((time, n) => time - (at[n - 1] ?? 0));
    // Of exponential waits, 1 − 1/e are shorter than the mean.
    expect(gaps.filter((gap) => gap < 1).length / gaps.length).toBeCloseTo(1 - 1 / Math.E, 1);
  });
});
