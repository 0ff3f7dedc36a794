import { readFileSync } from 'node:fs';

/** What a number of operations took: latencies in milliseconds, throughput in operations a second. */
export interface Sample {
  readonly operations: number;
  readonly failures: number;
  readonly p50: number;
  /** What these samples are enough for; a p99 takes thousands (open-loop.ts). */
  readonly p90: number;
  readonly perSecond: number;
  /** Processor time of the process that does the work, in milliseconds for each operation; null: not known. */
  readonly cpu: number | null;
}

export interface Load {
  /** Operations that are under way at any time. */
  readonly connections: number;
  readonly operations: number;
}

/**
 * Runs operations, some of them under way at any time. One that throws counts as a failure, and its time is not in
 * the percentiles.
 *
 * @param cpuOf the processor time, in milliseconds, that the process which does the work has taken so far
 */
export async function measure(
  { connections, operations }: Load,
  operation: (index: number) => Promise<void>,
  cpuOf: () => number | null = () => null,
): Promise<Sample> {
  const times: number[] = [];
  let next = 0;
  let failures = 0;
  const cpuBefore = cpuOf();
  const started = performance.now();
  const worker = async (): Promise<void> => {
    while (next < operations) {
      const index = next;
      next += 1;
      const from = performance.now();
      try {
        await operation(index);
        times.push(performance.now() - from);
      } catch {
        failures += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const seconds = (performance.now() - started) / 1000;
  const cpuAfter = cpuOf();
  return {
    operations,
    failures,
    p50: quantile(times, 0.5),
    p90: quantile(times, 0.9),
    perSecond: times.length / seconds,
    cpu: cpuBefore === null || cpuAfter === null ? null : (cpuAfter - cpuBefore) / operations,
  };
}

/** The value below which a share of the values lies; NaN of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The middle one, of two the mean; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[sorted.length / 2 - 1] ?? Number.NaN)) / 2;
}

type Figure = 'p50' | 'p90' | 'perSecond' | 'cpu';

/** What the contenders took in one round. */
type Round = Readonly<Record<string, Sample>>;

export interface Compared {
  /** Rounds of each run, with the sample of each contender. */
  readonly runs: readonly (readonly Round[])[];
  readonly samples: Readonly<Record<string, readonly Sample[]>>;
  /** Median over the rounds of one contender's figure divided by another's in the same round. */
  ratio(figure: Figure, of: string, to: string): number;
  /** The lowest and the highest of that: of the runs' medians, or of the rounds where there is one run. */
  spread(figure: Figure, of: string, to: string): readonly [low: number, high: number];
  /** Median over the rounds; NaN where the figure is not known. */
  typical(figure: Figure, of: string): number;
  failures(): number;
}

/**
 * Measures contenders in turns, round by round: what disturbs the machine for a while disturbs all of them, and a
 * ratio is only taken within a round. One round before the others is not counted: it opens the connections, checks
 * the tokens and fills the memories, as in an instance that has been running.
 *
 * @param isWarm nothing of that is to be done any more: every round counts
 */
export async function compare(
  rounds: number,
  contenders: Readonly<Record<string, () => Promise<Sample>>>,
  isWarm = false,
): Promise<Compared> {
  const counted: Round[] = [];
  const names = Object.entries(contenders);
  if (!isWarm) for (const [, run] of names) await run();
  for (let round = 0; round < rounds; round += 1) {
    const samples: Record<string, Sample> = {};
    // Each round in the other direction, so that nobody always runs behind the same neighbour.
    for (const [name, run] of round % 2 === 0 ? names : names.toReversed()) samples[name] = await run();
    counted.push(samples);
  }
  return comparedIn([counted]);
}

/** The same comparison in several runs, each with processes of its own: what one process has by chance is in one run. */
export function acrossRuns(comparisons: readonly Compared[]): Compared {
  return comparedIn(comparisons.flatMap(({ runs }) => runs));
}

function comparedIn(runs: readonly (readonly Round[])[]): Compared {
  const rounds = runs.flat();
  const figureOf = (round: Round, name: string, figure: Figure): number =>
    round[name]?.[figure] ?? Number.NaN;
  const ratioIn =
    (figure: Figure, of: string, to: string) =>
    (round: Round): number =>
      figureOf(round, of, figure) / figureOf(round, to, figure);
  const names = Object.keys(rounds[0] ?? {});
  return {
    runs,
    samples: Object.fromEntries(
      names.map((name) => [name, rounds.flatMap((round) => round[name] ?? [])] as const),
    ),
    ratio: (figure, of, to) => median(rounds.map(ratioIn(figure, of, to))),
    spread(figure, of, to) {
      const ratio = ratioIn(figure, of, to);
      const values = runs.length > 1 ? runs.map((each) => median(each.map(ratio))) : rounds.map(ratio);
      return [Math.min(...values), Math.max(...values)];
    },
    typical: (figure, of) => median(rounds.map((round) => figureOf(round, of, figure))),
    failures: () =>
      rounds.flatMap((round) => Object.values(round)).reduce((sum, { failures }) => sum + failures, 0),
  };
}

/** Linux counts in hundredths of a second on every platform that Node runs on. */
const MS_PER_TICK = 10;

/** Processor time that a process has taken so far, in milliseconds; null where the system has no /proc. */
export function cpuOf(pid: number | undefined): number | null {
  const stat = read(pid, 'stat');
  if (stat === null) return null;
  // The name of the program, in brackets, may have blanks in it.
  const [utime, stime] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(utime) + Number(stime)) * MS_PER_TICK;
}

/** Memory that a process holds, in megabytes; null where the system has no /proc. */
export function memoryOf(pid: number | undefined): number | null {
  const kilobytes = read(pid, 'status')?.match(/^VmRSS:\s+(\d+) kB$/m)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) / 1024;
}

/** The most memory that a process has held so far, in megabytes; null where the system has no /proc. */
export function peakMemoryOf(pid: number | undefined): number | null {
  const kilobytes = read(pid, 'status')?.match(/^VmHWM:\s+(\d+) kB$/m)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) / 1024;
}

/** Processor time of this process, in milliseconds. */
export function ownCpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function read(pid: number | undefined, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return null;
  }
}
