import { expect, it } from 'vitest';
import { type Clock, openLoop } from './open-loop.ts';

/** A clock without real time. `late` is added to each wait. */
function aClock(late = 0) {
  let now = 0;
  const waiting: { readonly at: number; readonly go: () => void }[] = [];
  const until = (at: number) => new Promise<void>((go) => waiting.push({ at, go }));
  const clock: Clock = { now: () => now, wait: (ms) => until(now + ms + late) };
  return {
    clock,
    takes: (ms: number) => until(now + ms),
    blocks: (ms: number) => {
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
        if (next === undefined) throw new Error('the load never ends');
        now = Math.max(now, next.at);
        next.go();
      }
    },
  };
}

it('includes the wait of every operation scheduled while the service stalls', async () => {
  const { clock, takes, run } = aClock();
  // One operation every 10 ms. Each takes 1 ms, but nothing is answered in the first second.
  const work = openLoop({ perSecond: 100, count: 200 }, () => takes(Math.max(1, 1_000 - clock.now())), clock);
  // A closed loop would have measured 1,000 ms once and 1 ms 199 times.
  const { p50, p90 } = await run(work);
  expect(p50).toBeLessThan(20);
  expect(p90).toBeGreaterThan(750);
});

it('includes the delay of its own timers', async () => {
  const { clock, takes, run } = aClock(3);
  const { p99 } = await run(openLoop({ perSecond: 100, count: 50 }, () => takes(1), clock));
  expect(p99).toBeCloseTo(4, 1);
});

it('starts all overdue operations after it was blocked', async () => {
  const { clock, takes, blocks, run } = aClock();
  const work = openLoop(
    { perSecond: 100, count: 3 },
    (index) => {
      if (index === 0) blocks(100);
      return takes(1);
    },
    clock,
  );
  const { p50 } = await run(work);
  // Scheduled at 0, 10 and 20 ms, answered at 101 ms.
  expect(p50).toBeCloseTo(91, 0);
});

it('counts failures without a latency', async () => {
  const { clock, takes, run } = aClock();
  const refused = new Error('refused');
  const work = openLoop(
    { perSecond: 1_000, count: 2 },
    async (index) => {
      await takes(5);
      if (index === 0) throw refused;
    },
    clock,
  );
  expect(await run(work)).toMatchObject({ answered: 1, failed: 1, firstError: refused });
});
