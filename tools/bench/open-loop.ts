import { createHistogram } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** Rate and length of a load. */
export interface Load {
  readonly perSecond: number;
  readonly count: number;
}

/** Latencies in milliseconds, from the scheduled start to the answer. Failed operations have none. */
export interface Latencies {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly answered: number;
  readonly failed: number;
  /** Error of the first failure; null if there was none. */
  readonly firstError: unknown;
}

/** The clock of a load, in milliseconds. */
export interface Clock {
  now(): number;
  wait(ms: number): Promise<unknown>;
}

/** Timers drop fractions of a millisecond; starting early would make a request look faster than it was. */
const REAL: Clock = { now: () => performance.now(), wait: (ms) => sleep(Math.ceil(ms)) };
const MICROSECONDS = 1_000;

/**
 * Starts operations at a constant rate, however many are still running, and waits for all of them.
 *
 * Latency counts from the scheduled start, so a stall of the service or of this process is part of the latency of
 * every operation scheduled during the stall (no coordinated omission).
 */
export async function openLoop(
  { perSecond, count }: Load,
  operation: (index: number) => Promise<unknown>,
  clock: Clock = REAL,
): Promise<Latencies> {
  const histogram = createHistogram();
  let failed = 0;
  let firstError: unknown = null;
  const run = async (index: number, scheduled: number): Promise<void> => {
    try {
      await operation(index);
      histogram.record(Math.max(1, Math.round((clock.now() - scheduled) * MICROSECONDS)));
    } catch (error) {
      failed += 1;
      firstError ??= error;
    }
  };
  const started = clock.now();
  const running: Promise<void>[] = [];
  for (let index = 0; index < count; index += 1) {
    const scheduled = started + (index * 1_000) / perSecond;
    const early = scheduled - clock.now();
    if (early > 0) await clock.wait(early);
    running.push(run(index, scheduled));
  }
  await Promise.all(running);
  const at = (percentile: number): number => histogram.percentile(percentile) / MICROSECONDS;
  return { p50: at(50), p90: at(90), p99: at(99), answered: count - failed, failed, firstError };
}
