import type { Catalog } from '@extension-billing/contract/catalog';
import { creditsAt } from '@extension-billing/contract/credits';
import type { Millis } from '@extension-billing/contract/customer';
import { costOf } from '@extension-billing/contract/features';
import { type AnyEntry, readEntry } from '@extension-billing/contract/ledger';
import type { CustomerRecord } from '@extension-billing/contract/record';
import { DAY } from '@extension-billing/contract/time';
import { type Firestore, Timestamp } from 'firebase-admin/firestore';
import { MARKER_LASTS, readFacts } from '../events/apply.ts';
import type { Facts } from '../events/facts.ts';
import { parseUid, paths, readCustomer, type Uid } from '../store/documents.ts';
import { inParallel } from '../store/jobs.ts';
import { documentsOf, pageById, queries } from '../store/queries.ts';
import type { DaySums, StandingSum } from './day-sums.ts';
import type { ReportedEntry } from './figures.ts';
import type { Reported } from './sales.ts';

// What a report is made of: the accounts one after the other, their ledgers and facts, and the markers of invoices.

/** From `from` on, and before `to`. */
export interface Range {
  readonly from: Millis;
  readonly to: Millis;
}

export interface Account {
  readonly id: string;
  /** Null where the id can be none of a user of ours. */
  readonly uid: Uid | null;
  readonly record: CustomerRecord | null;
}

/** What is known of a user's sales, and what of it is counted in the summaries. */
export interface KnownSales {
  readonly uid: Uid;
  readonly facts: Facts;
  readonly reported: Reported;
}

export interface PaidInvoice {
  readonly id: string;
  /** The provider's time. */
  readonly at: Millis;
  /** When its event was applied here. */
  readonly appliedAt: Millis;
  /** Nothing was charged, as for a trial's. Absent also where that is unknown. */
  readonly isFree?: true;
}

/** Where a report reads: pages by id, each of them empty where nothing more comes. */
export interface ReportSource {
  accounts(after: string | null): Promise<readonly Account[]>;
  entries(uid: Uid, range: Range): AsyncIterable<ReportedEntry>;
  sales(uids: readonly Uid[]): Promise<readonly KnownSales[]>;
  /** Those whose markers are kept: 45 days. */
  invoices(after: string | null): Promise<readonly PaidInvoice[]>;
}

/** How the accounts of a page are looked at. */
export interface Look {
  readonly range: Range;
  /** Whoever did nothing since, by their record, is not asked for their ledger. */
  readonly since: Millis;
  /** Credits that the dearest feature takes. */
  readonly dearest: number;
  readonly now: Millis;
}

/** Users whose ledgers are read at once. */
const AT_ONCE = 10;

/**
 * Adds up what a page of accounts did and has: one read for each record, and one for each ledger entry, for those who
 * may have any.
 *
 * @returns the sales of those who may have any since
 */
export async function countAccounts(
  source: ReportSource,
  page: readonly Account[],
  { range, since, dearest, now }: Look,
  sums: Pick<DaySums, 'countEntry'>,
  standing: StandingSum,
): Promise<readonly KnownSales[]> {
  const active: { readonly uid: Uid; readonly record: CustomerRecord }[] = [];
  for (const { uid, record } of page) {
    if (record === null) continue;
    standing.count(record, now);
    if (uid !== null && mayHaveEntries(record, since, range.to, dearest)) active.push({ uid, record });
  }
  const buyers = new Set(active.filter(({ record }) => isBuyer(record)));
  await inParallel(active, AT_ONCE, async (each) => {
    for await (const entry of source.entries(each.uid, range)) {
      sums.countEntry(entry);
      if (!WITHOUT_SALES.has(entry.kind)) buyers.add(each);
    }
  });
  return buyers.size === 0 ? [] : source.sales([...buyers].map(({ uid }) => uid));
}

/** Whoever's customer is deleted at the provider may be none by their record, and still have a pack refunded. */
function isBuyer({ customerId, paid, status }: CustomerRecord): boolean {
  return customerId !== null || status !== null || paid;
}

/** Entries of what users do, and of what is free; the others were caused by a sale, or by what became of one. */
const WITHOUT_SALES: ReadonlySet<AnyEntry['kind']> = new Set<AnyEntry['kind']>([
  ...(['consume', 'reserve', 'confirm', 'release', 'expiry', 'period'] as const),
]);

/** A reservation that is settled after its end is recorded without a change of the record, this long after it mostly. */
const LATE_SETTLES: Millis = 3 * DAY;

/**
 * Whether a user's ledger may have entries since a moment. What moves credits moves the record's time; a refusal does
 * not: it may have come to whoever could not have paid for the dearest feature, or is under a limit.
 */
export function mayHaveEntries(
  record: CustomerRecord,
  since: Millis,
  until: Millis,
  dearest: number,
): boolean {
  if (record.updatedAt >= since - LATE_SETTLES) return true;
  if (record.allowances?.some(({ limits = [] }) => limits.length > 0) === true) return true;
  return [since, until].some((at) => {
    const credits = creditsAt(record, at);
    return credits !== null && credits.allowance + credits.packs < dearest;
  });
}

/** Credits that the dearest feature of a catalogue takes or holds. */
export function dearestOf(catalog: Catalog): number {
  const costs = Object.keys(catalog.features).map((feature) =>
    Math.max(costOf(catalog, feature) ?? 0, catalog.features[feature]?.hold ?? 0),
  );
  return Math.max(0, ...costs);
}

const PAGE = 300;
const FIELDS = [
  'kind',
  'feature',
  'outcome',
  'cost',
  'deltaAllowance',
  'deltaPack',
  'allowance',
  'granted',
  'byHand',
  'createdAt',
];

/**
 * The documents of Firestore. No query needs an index of its own: ledgers are queried user by user.
 */
export function reportSource(firestore: Firestore): ReportSource {
  return {
    async accounts(after) {
      const docs = await pageById(queries.byId(firestore.collection('customers')), after, PAGE);
      return docs.map((doc) => ({ id: doc.id, uid: parseUid(doc.id), record: readCustomer(doc) }));
    },
    async *entries(uid, { from, to }) {
      const query = queries.ledgerBetween(firestore, uid, { from, to }, 'asc').select(...FIELDS);
      for await (const doc of documentsOf(query, PAGE)) yield readEntry(doc.id, doc.data());
    },
    async sales(uids) {
      const snapshots = await firestore.getAll(...uids.map((uid) => paths.facts(firestore, uid)));
      return uids.flatMap((uid, index) => {
        const stored = readFacts(snapshots[index]);
        const reported = (snapshots[index]?.get('reported') ?? {}) as Reported;
        return stored === null ? [] : [{ uid, facts: stored.facts, reported }];
      });
    },
    async invoices(after) {
      const paid = queries.paidInvoices(firestore);
      const docs = await pageById(paid.select('createdAt', 'expireAt', 'amount'), after, PAGE);
      return docs.map((marker) => ({
        id: marker.id,
        at: millis(marker.get('createdAt')),
        appliedAt: millis(marker.get('expireAt')) - MARKER_LASTS,
        ...(marker.get('amount') === 0 && { isFree: true as const }),
      }));
    },
  };
}

function millis(value: unknown): Millis {
  return value instanceof Timestamp ? value.toMillis() : 0;
}
