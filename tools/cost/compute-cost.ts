import type { Operations } from './counted.ts';
import { BILLED_STEP_MS, INSTANCE, PRICES, SECONDS, TARGET_UTILISATION } from './prices.ts';

/** Dollars that Firestore takes for operations. */
export function costOfOperations({ reads, writes, deletes = 0 }: Operations): number {
  return reads * PRICES.read + writes * PRICES.write + deletes * PRICES.delete;
}

/** Dollars for an instance's second with a request. */
export const costOfSecond = (): number => INSTANCE.vcpu * PRICES.vcpuSecond + INSTANCE.gib * PRICES.gibSecond;

/**
 * Dollars that Cloud Run takes for requests: `busy`, where they share an instance that they keep busy, and `alone`,
 * where each has the instance to itself for one billed step. What is real lies between them.
 */
export function costOfRequests(
  requests: number,
  cpuMs: number,
): { readonly busy: number; readonly alone: number } {
  const fixed = requests * PRICES.request;
  return {
    busy: fixed + ((requests * cpuMs) / 1_000) * costOfSecond(),
    alone: fixed + ((requests * BILLED_STEP_MS) / 1_000) * costOfSecond(),
  };
}

/** Requests come in this share of a month's hours. */
const BUSY_HOURS = 1 / 3;

/**
 * Seconds of instances that a month's requests are billed for. Few that come at random are mostly alone, and an instance
 * is billed while it has one; many keep as many instances as their processor time takes.
 */
export function billedSeconds(requests: number, cpuMs: number): number {
  const seconds = SECONDS * BUSY_HOURS;
  const perSecond = requests / seconds;
  const withOne = 1 - Math.exp((-perSecond * BILLED_STEP_MS) / 1_000);
  const instances = (perSecond * cpuMs) / 1_000 / TARGET_UTILISATION;
  return seconds * Math.max(withOne, instances);
}

export function addUp(parts: readonly Operations[]): Required<Operations> {
  return parts.reduce<Required<Operations>>(
    (sum, { reads, writes, deletes = 0 }) => ({
      reads: sum.reads + reads,
      writes: sum.writes + writes,
      deletes: sum.deletes + deletes,
    }),
    { reads: 0, writes: 0, deletes: 0 },
  );
}

export function times(count: number, { reads, writes, deletes = 0 }: Operations): Required<Operations> {
  return { reads: count * reads, writes: count * writes, deletes: count * deletes };
}
