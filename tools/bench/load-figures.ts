import { quantile } from './measure.ts';
import { type Answered, ENOUGH_FOR_P99 } from './open-loop.ts';

/** What several runs of one load say together. */
export interface LoadFigures {
  readonly samples: number;
  readonly failures: number;
  readonly p50: Spread;
  readonly p90: Spread;
  /** Null where the samples are too few for it. */
  readonly p99: Spread | null;
  /** Calls to the store for each operation, counted on the wire. */
  readonly calls: number;
  /** The generator's own lateness in its worst run, in milliseconds. */
  readonly late: { readonly p50: number; readonly p99: number };
}

/** A figure of all runs together, and the lowest and highest of the runs. */
export interface Spread {
  readonly all: number;
  readonly low: number;
  readonly high: number;
}

type Run = Pick<Answered, 'times' | 'failures' | 'late'> & {
  readonly calls: Readonly<Record<string, number>>;
};

export function figuresOf(runs: readonly Run[]): LoadFigures {
  const answered = runs.map(({ times }) => times.filter((time) => !Number.isNaN(time)));
  const samples = answered.flat().length;
  const operations = runs.reduce((sum, { times }) => sum + times.length, 0);
  const calls = runs.flatMap((run) => Object.values(run.calls)).reduce((sum, count) => sum + count, 0);
  return {
    samples,
    failures: runs.reduce((sum, { failures }) => sum + failures, 0),
    p50: spreadOf(answered, 0.5),
    p90: spreadOf(answered, 0.9),
    p99: samples >= ENOUGH_FOR_P99 ? spreadOf(answered, 0.99) : null,
    calls: calls / operations,
    late: {
      p50: Math.max(...runs.map(({ late }) => late.p50)),
      p99: Math.max(...runs.map(({ late }) => late.p99)),
    },
  };
}

export function spreadOf(runs: readonly (readonly number[])[], share: number): Spread {
  const each = runs.map((times) => quantile(times, share));
  return { all: quantile(runs.flat(), share), low: Math.min(...each), high: Math.max(...each) };
}

/** As in the table: the tail that the samples are enough for, each figure with its spread over the runs. */
export function describeLoad({ samples, failures, p50, p90, p99, calls }: LoadFigures): string {
  const tail = p99 === null ? `p90 ${inMs(p90)}` : `p99 ${inMs(p99)}`;
  return `${calls.toFixed(2)} calls each, p50 ${inMs(p50)}, ${tail}, ${samples.toLocaleString('en-US')} samples, ${failures} failed`;
}

const inMs = ({ all, low, high }: Spread): string =>
  `${all.toFixed(1)} ms (${low.toFixed(1)} to ${high.toFixed(1)})`;
