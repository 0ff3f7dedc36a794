import { expect, it } from 'vitest';
import { Crowded, Lanes, type Waiting } from './lanes.ts';

/** Lanes whose groups are settled by hand, in the order in which they were begun. */
function byHand(mostWaiting: number) {
  const begun: { readonly size: number; readonly finish: () => void }[] = [];
  const lanes = new Lanes<string, number, number>(
    (_key, group: readonly Waiting<number, number>[]) =>
      new Promise((resolve) => {
        const finish = () => {
          for (const { request, resolve: answer } of group) answer(request);
          resolve();
        };
        begun.push({ size: group.length, finish });
      }),
    { largest: 100, mostWaiting },
  );
  return { lanes, begun };
}

it('refuses what comes beyond the bound while 10,000 call at once, and answers every other', async () => {
  const { lanes, begun } = byHand(5_000);
  const calls = Array.from({ length: 10_000 }, (_, n) => lanes.enter('user-1', n));
  const outcomes = Promise.allSettled(calls);
  // The first is under way by itself; what came meanwhile goes by the hundred.
  for (let done = 0; done < begun.length; done += 1) {
    begun[done]?.finish();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const settled = await outcomes;
  const answered = settled.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const refused = settled.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  expect(answered).toEqual(Array.from({ length: 5_001 }, (_, n) => n));
  expect(refused).toHaveLength(4_999);
  expect(refused.every((reason) => reason instanceof Crowded)).toBe(true);
  expect(Math.max(...begun.map(({ size }) => size))).toBe(100);
});

it('takes new ones as soon as some have gone', async () => {
  const { lanes, begun } = byHand(1);
  const first = lanes.enter('user-1', 1);
  const second = lanes.enter('user-1', 2);
  await expect(lanes.enter('user-2', 3)).rejects.toThrow(Crowded);
  begun[0]?.finish();
  expect(await first).toBe(1);
  await new Promise((resolve) => setImmediate(resolve));
  const third = lanes.enter('user-2', 3);
  for (const { finish } of begun) finish();
  expect([await second, await third]).toEqual([2, 3]);
});

it('counts those of a group that failed as gone', async () => {
  const lanes = new Lanes<string, number, number>(() => Promise.reject(new Error('no database')), {
    largest: 100,
    mostWaiting: 1,
  });
  for (let n = 0; n < 3; n += 1) await expect(lanes.enter('user-1', n)).rejects.toThrow('no database');
});
