/** What a number of operations took: latencies in milliseconds, throughput in operations a second. */
export interface Sample {
  readonly operations: number;
  readonly failures: number;
  readonly p50: number;
  readonly p99: number;
  readonly perSecond: number;
}

/**
 * Runs `operations` operations with `connections` of them under way at any time. One that throws counts as a
 * failure, and its time is not in the percentiles.
 */
export async function measure(
  connections: number,
  operations: number,
  operation: (index: number) => Promise<void>,
): Promise<Sample> {
  const times: number[] = [];
  let next = 0;
  let failures = 0;
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
  return {
    operations,
    failures,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    perSecond: times.length / seconds,
  };
}

/** The value below which a share of the values lies; NaN of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);
