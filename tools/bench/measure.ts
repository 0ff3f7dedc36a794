/** What a number of operations took: latencies in milliseconds, throughput in operations a second. */
export interface Sample {
  readonly operations: number;
  readonly failures: number;
  readonly p50: number;
  readonly p99: number;
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
    p99: quantile(times, 0.99),
    perSecond: times.length / seconds,
    cpu: cpuBefore === null || cpuAfter === null ? null : (cpuAfter - cpuBefore) / operations,
  };
}

/** The value below which a share of the values lies; NaN of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The middle one, the upper of two; NaN of none. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);
