import { readFileSync } from 'node:fs';

/** Documents that Firestore bills. */
export interface Operations {
  readonly reads: number;
  readonly writes: number;
  readonly deletes?: number;
}

/**
 * What a scheduled job asks for: in each run, for each account that it looks at, and on top of that for one that did
 * something since, and for each of its spends. `calls` are round trips to Firestore.
 */
export interface CountedJob {
  readonly job: string;
  readonly of: 'run' | 'free' | 'payer' | 'active' | 'spend';
  readonly each: Required<Operations> & { readonly calls: number; readonly providerCalls: number };
}

/** docs/operations.json: counted by tools/bench/count-jobs.ts. */
export interface Operated {
  readonly at: string;
  readonly jobs: readonly CountedJob[];
  /** Of a payer's documents, by Firestore's reckoning, and of a consume's answer, head and body. */
  readonly bytes: {
    readonly record: number;
    readonly facts: number;
    readonly marker: number;
    readonly answer: number;
  };
  readonly compaction: Compaction;
}

/** What old entries take once they are rolled. */
export interface Compaction {
  /** Stored bytes of an old spend, and of an account with any; with indexes. */
  readonly bytesOfSpend: number;
  readonly bytesOfAccount: number;
  /** Days that entries are kept as they are, unless set otherwise. */
  readonly days: number;
}

/** What was measured and counted, as far as costs and sizes go. */
export interface Measured extends Pick<Operated, 'jobs' | 'bytes' | 'compaction'> {
  /** Row h: what one request asks for, by what it is called there. */
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
export function readMeasured(results: { readonly rows: readonly Row[] }, operated: Operated): Measured {
  const find = (row: string, what: string): Row => {
    const found = results.rows.find((one) => one.row === row && one.what.startsWith(what));
    if (found === undefined) throw new Error(`the benchmark has no row ${row} "${what}": npm run bench`);
    return found;
  };
  const { samples } = find('a', 'consume, 32 at a time').figures as {
    readonly samples: { readonly service: readonly { readonly cpu: number }[] };
  };
  return {
    ...operated,
    cpuMs: median(samples.service.map(({ cpu }) => cpu)),
    operationsOf(what) {
      const { reads, writes, deletes = 0 } = find('h', what).figures as unknown as Operations;
      return { reads, writes, deletes };
    },
  };
}

/** The same of what stands in docs/. */
export function readDocs(): Measured {
  return readMeasured(readJson('docs/performance.json'), readJson('docs/operations.json'));
}

const readJson = (path: string) =>
  JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
