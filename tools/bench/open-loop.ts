import { setTimeout as sleep } from 'node:timers/promises';
import { exponential } from '../random.ts';
import { quantile } from './measure.ts';

// Load that comes when it comes: requests begin at times that were drawn before, whether or not those before them have
// been answered. A latency counts from when the request was meant to begin, so that a pause of the service, of the store
// or of this generator is in the times of all who would have come meanwhile, and none of them is left out.

/** What a p99 takes to be more than the luck of a few. */
export const ENOUGH_FOR_P99 = 10_000;

/** Of a round trip, the part that is always the same. */
const FIXED = 0.8;

/** How long a round trip takes this time, with a tail; the mean is `ms`. */
export const jittered = (ms: number, random: () => number): number =>
  ms * (FIXED + (1 - FIXED) * exponential(random, 1));

/** When each of so many callers comes, in milliseconds from the start, at a mean rate (a Poisson process). */
export function arrivals(count: number, perSecond: number, random: () => number): readonly number[] {
  let at = 0;
  return Array.from({ length: count }, () => {
    at += exponential(random, 1_000 / perSecond);
    return at;
  });
}

/** The clock that a load runs by, in milliseconds. */
export interface Clock {
  now(): number;
  /** May take longer, as timers do. */
  wait(ms: number): Promise<unknown>;
}

/** A timer cuts off what is less than a millisecond; a request that began too early would seem too quick. */
const REAL: Clock = { now: () => performance.now(), wait: (ms) => sleep(Math.ceil(ms)) };

/** How a load went. */
export interface Answered {
  /** From when each operation was meant to begin until it was answered, in milliseconds; NaN where it failed. */
  readonly times: readonly number[];
  readonly failures: number;
  /** Why one of them failed; null where none did. */
  readonly failure: unknown;
  /** How late the generator itself was, in milliseconds: it is in the times, and is no time of the service. */
  readonly late: { readonly p50: number; readonly p99: number };
  readonly seconds: number;
}

/** Begins each operation at its time, however many are under way, and waits until all are over. */
export async function openLoop(
  at: readonly number[],
  operation: (index: number) => Promise<unknown>,
  clock: Clock = REAL,
): Promise<Answered> {
  const times: number[] = [];
  const late: number[] = [];
  let failures = 0;
  let failure: unknown = null;
  const started = clock.now();
  const run = async (index: number, due: number): Promise<void> => {
    try {
      await operation(index);
      times[index] = clock.now() - due;
    } catch (error) {
      times[index] = Number.NaN;
      failures += 1;
      failure ??= error;
    }
  };
  const underWay: Promise<void>[] = [];
  for (const [index, offset] of at.entries()) {
    const due = started + offset;
    const early = due - clock.now();
    if (early > 0) await clock.wait(early);
    late.push(clock.now() - due);
    underWay.push(run(index, due));
  }
  await Promise.all(underWay);
  return {
    times,
    failures,
    failure,
    late: { p50: quantile(late, 0.5), p99: quantile(late, 0.99) },
    seconds: (clock.now() - started) / 1_000,
  };
}
