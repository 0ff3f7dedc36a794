/** Documents that Firestore bills. */
export interface Operations {
  readonly reads: number;
  readonly writes: number;
  readonly deletes?: number;
}

/** What the benchmark measured, as far as costs go. */
export interface Measured {
  /** Row h: reads and writes of one request, by what it is called there. */
  operationsOf(what: string): Operations;
  /** Row a: processor time of one consume among many at once, in milliseconds. */
  readonly cpuMs: number;
}

interface Row {
  readonly row: string;
  readonly what: string;
  readonly figures: Readonly<Record<string, unknown>>;
}

/** @throws Error where the benchmark has no such row */
export function readMeasured(results: { readonly rows: readonly Row[] }): Measured {
  const find = (row: string, what: string): Row => {
    const found = results.rows.find((one) => one.row === row && one.what.startsWith(what));
    if (found === undefined) throw new Error(`the benchmark has no row ${row} "${what}": npm run bench`);
    return found;
  };
  const { samples } = find('a', 'consume, 32 at a time').figures as {
    readonly samples: { readonly service: readonly { readonly cpu: number }[] };
  };
  return {
    cpuMs: median(samples.service.map(({ cpu }) => cpu)),
    operationsOf(what) {
      const { reads, writes } = find('h', what).figures as unknown as Operations;
      return { reads, writes };
    },
  };
}

/** Dollars that Firestore takes for operations. */
export function costOfOperations({ reads, writes, deletes = 0 }: Operations): number {
  return reads * PRICES.read + writes * PRICES.write + deletes * PRICES.delete;
}

/**
 * Dollars that Cloud Run takes for requests: `busy`, where they share an instance that they keep busy, and `alone`,
 * where each has the instance to itself for one billed step. What is real lies between them.
 */
export function costOfRequests(
  requests: number,
  cpuMs: number,
): { readonly busy: number; readonly alone: number } {
  const perSecond = INSTANCE.vcpu * PRICES.vcpuSecond + INSTANCE.gib * PRICES.gibSecond;
  const fixed = requests * PRICES.request;
  return {
    busy: fixed + ((requests * cpuMs) / 1_000) * perSecond,
    alone: fixed + ((requests * BILLED_STEP_MS) / 1_000) * perSecond,
  };
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

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/**
 * List prices in US dollars, beyond the free tier, for us-central1 (Iowa). They were read on the day below from copies
 * of the providers' pages, and change: look at the pages before you count on them.
 */
export const PRICES = {
  readOn: '2026-11-21',
  sources: {
    firestore: 'https://cloud.google.com/firestore/pricing',
    run: 'https://cloud.google.com/run/pricing',
    logging: 'https://cloud.google.com/stackdriver/pricing',
  },
  /** For each document. The multi-region nam5 is twice as much. */
  read: 0.03 / 100_000,
  write: 0.09 / 100_000,
  delete: 0.01 / 100_000,
  /** For each GiB and month. */
  storage: 0.15,
  /** Cloud Run with request-based billing, tier 1: for each second in which an instance has a request. */
  vcpuSecond: 0.000024,
  gibSecond: 0.0000025,
  request: 0.4 / 1_000_000,
  /** For each GiB that is logged. */
  logging: 0.5,
} as const;

/** Each month, and for Firestore each day, at no cost. */
export const FREE = {
  readsPerDay: 50_000,
  writesPerDay: 20_000,
  deletesPerDay: 20_000,
  storedGib: 1,
  requests: 2_000_000,
  vcpuSeconds: 180_000,
  gibSeconds: 360_000,
  loggedGib: 50,
} as const;

/** What an instance is made of: functions/src/index.ts, and one vCPU, which a concurrency above 1 takes. */
export const INSTANCE = { vcpu: 1, gib: 0.5 } as const;
/** Instance time is counted in steps of this many milliseconds. */
export const BILLED_STEP_MS = 100;
