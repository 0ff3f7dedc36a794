import { addUp, billedSeconds, costOfOperations, costOfSecond } from './compute-cost.ts';
import type { Measured } from './counted.ts';
import { DAYS, FREE, GIB, INSTANCE, PRICES } from './prices.ts';
import type { EntrySize } from './sizes.ts';
import {
  ASSUMED,
  COMPACTION,
  JOBS,
  monthOf,
  NON_PAYER,
  PAYER,
  type Profile,
  providerCallsOf,
} from './workload.ts';

/** What a bill is made of, in dollars of one month. */
export interface Bill {
  readonly operations: number;
  readonly function: number;
  readonly jobs: number;
  readonly storage: number;
  readonly backups: number;
  readonly pitr: number;
  readonly egress: number;
  readonly logs: number;
}

export interface Case {
  readonly profile: Profile;
  readonly accounts: number;
  /** The bill is that of the last month of this year; all accounts were there from the beginning. */
  readonly year: number;
  /** Whether old entries are rolled into pages. */
  readonly isCompacted: boolean;
  /** Whether the free tier is taken off. */
  readonly hasFreeTier: boolean;
}

/** Daily backups that are kept for a week (docs/operating.md). */
const BACKUPS = 7;
/** Event markers are kept for 45 days. */
const MARKER_MONTHS = 45 / DAYS;
/** The function's own line, and the one that Cloud Run writes about the request. */
export const LOGGED_BYTES = 250 + 1_000;
/** What Firestore adds to a document that it sends to a listener. */
const SENT_WITH_DOCUMENT = 200;
/** Calls to the provider a second of the jobs, while an instance waits for them. */
const PROVIDER_CALLS_PER_SECOND = 20;

/** Months of entries that are there at the end of a year. @param days null: nothing is rolled */
function monthsKept(year: number, days: number | null): number {
  return Math.min(12 * year, days === null ? Number.POSITIVE_INFINITY : days / DAYS);
}

/** GiB that are stored at the end of a year. */
export function storedGib(
  { profile, accounts, year, isCompacted }: Case,
  { bytes, compaction: { days, bytesOfSpend, bytesOfAccount } }: Pick<Measured, 'bytes' | 'compaction'>,
  entry: EntrySize,
): number {
  const paying = accounts * profile.payers;
  const consumes = paying * PAYER.consumes + (accounts - paying) * NON_PAYER.consumes;
  const kept = monthsKept(year, isCompacted ? days : null);
  const months = 12 * year - kept;
  const old = months * consumes * bytesOfSpend + (months > 0 ? accounts * bytesOfAccount : 0);
  const ledger = consumes * kept * (entry.document + entry.indexes) + old;
  const markers = paying * PAYER.events * MARKER_MONTHS * bytes.marker;
  return (accounts * bytes.record + paying * bytes.facts + markers + ledger) / GIB;
}

export function billOf(one: Case, measured: Measured, entry: EntrySize): Bill {
  const { profile, accounts, year, isCompacted, hasFreeTier } = one;
  const over = (amount: number, free: number): number => Math.max(0, amount - (hasFreeTier ? free : 0));
  const paying = accounts * profile.payers;
  const jobs = isCompacted ? JOBS : JOBS.filter(({ job }) => job !== COMPACTION);
  const months = monthsKept(year, isCompacted ? measured.compaction.days : null);
  const lines = monthOf(profile, accounts, measured, { jobs, months });
  const consumes = paying * PAYER.consumes + (accounts - paying) * NON_PAYER.consumes;
  const all = addUp(lines.map(({ operations }) => operations));
  const requests = lines.reduce((sum, line) => sum + line.requests, 0);
  const seconds = billedSeconds(requests, measured.cpuMs);
  const jobSeconds = providerCallsOf(measured, accounts - paying, paying) / PROVIDER_CALLS_PER_SECOND;
  const gib = storedGib(one, measured, entry);
  const sent = (bytes: number, count: number): number => (bytes * count) / GIB;
  const openings = paying * PAYER.openings + (accounts - paying) * NON_PAYER.openings;
  const listened = consumes * ASSUMED.watched + openings + accounts * DAYS;
  return {
    operations: costOfOperations({
      reads: over(all.reads, FREE.readsPerDay * DAYS),
      writes: over(all.writes, FREE.writesPerDay * DAYS),
      deletes: over(all.deletes, FREE.deletesPerDay * DAYS),
    }),
    function:
      over(requests, FREE.requests) * PRICES.request +
      over(seconds * INSTANCE.vcpu, FREE.vcpuSeconds) * PRICES.vcpuSecond +
      over(seconds * INSTANCE.gib, FREE.gibSeconds) * PRICES.gibSecond,
    jobs: jobSeconds * costOfSecond(),
    storage: over(gib, FREE.storedGib) * PRICES.storage,
    backups: gib * BACKUPS * PRICES.backup,
    pitr: gib * PRICES.pitr,
    egress:
      PRICES.egress *
      (over(sent(measured.bytes.answer, requests), FREE.egressGib.run) +
        over(sent(measured.bytes.record + SENT_WITH_DOCUMENT, listened), FREE.egressGib.firestore)),
    logs: over(sent(LOGGED_BYTES, requests), FREE.loggedGib) * PRICES.logging,
  };
}

export function totalOf(bill: Bill): number {
  return Object.values(bill).reduce((sum, part) => sum + part, 0);
}
