import type { Millis } from '@extension-billing/contract/customer';
import type { LedgerKind } from '@extension-billing/contract/usage';
import {
  type DocumentData,
  FieldPath,
  type Firestore,
  type Query,
  type QueryDocumentSnapshot,
  Timestamp,
} from 'firebase-admin/firestore';
import { parseUid, type Uid } from '../../../../functions/src/domain/uid.ts';
import type { UsageRange } from '../../../../functions/src/domain/usage.ts';
import { readFacts } from '../../../../functions/src/store/accounts.ts';
import { readCustomer } from '../../../../functions/src/store/customers.ts';
import { paths } from '../../../../functions/src/store/paths.ts';
import { type Report, ReportSum } from './reduce-report.ts';
import { type ReportedEntry, tellFacts } from './tell-figures.ts';

const PAGE = 300;
/** Users whose ledgers are read at once. */
const AT_ONCE = 10;

/**
 * Reads all accounts and adds up what happened in a range: one read for each user and each ledger entry of the range,
 * a page at a time, so that memory does not grow with either. It needs no index of its own: a ledger is asked user by
 * user (docs/decisions/0077-a-report-from-the-ledgers.md).
 */
export async function readReport(firestore: Firestore, range: UsageRange, now: Millis): Promise<Report> {
  const sum = new ReportSum(range);
  const customers = firestore.collection('customers').orderBy(FieldPath.documentId());
  for await (const page of pagesOf(customers, PAGE)) {
    for (const snapshot of page) {
      const record = readCustomer(snapshot);
      if (record !== null) sum.countRecord(record, now);
    }
    const uids = page.map(({ id }) => parseUid(id)).filter((uid) => uid !== null);
    const facts = await firestore.getAll(...uids.map((uid) => paths.facts(firestore, uid)));
    for (const snapshot of facts) {
      const stored = readFacts(snapshot);
      if (stored !== null) for (const told of tellFacts(stored.facts)) sum.count(told);
    }
    await eachOf(uids, (uid) => countLedger(firestore, uid, range, sum));
  }
  // All that are kept, 45 days of them: to ask for type and time at once would take an index of its own.
  const paid = firestore.collection('billing_events').where('type', '==', 'invoice.paid').select('createdAt');
  for await (const page of pagesOf(paid.orderBy(FieldPath.documentId()), PAGE)) {
    for (const marker of page) sum.count({ at: millis(marker.get('createdAt')), figures: { invoices: 1 } });
  }
  return sum.report();
}

async function countLedger(firestore: Firestore, uid: Uid, range: UsageRange, sum: ReportSum): Promise<void> {
  const entries = paths
    .ledger(firestore, uid)
    .where('createdAt', '>=', Timestamp.fromMillis(range.from))
    .where('createdAt', '<', Timestamp.fromMillis(range.to))
    .orderBy('createdAt')
    .orderBy(FieldPath.documentId())
    .select(...FIELDS);
  for await (const page of pagesOf(entries, PAGE)) {
    for (const entry of page) sum.countEntry(toReported(entry.data()));
  }
}

async function* pagesOf(query: Query, size: number): AsyncGenerator<readonly QueryDocumentSnapshot[]> {
  let page = query.limit(size);
  for (;;) {
    const { docs } = await page.get();
    if (docs.length > 0) yield docs;
    const last = docs.at(-1);
    if (last === undefined || docs.length < size) return;
    page = query.startAfter(last).limit(size);
  }
}

async function eachOf<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values();
  const one = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

const FIELDS = [
  'kind',
  'feature',
  'outcome',
  'cost',
  'deltaAllowance',
  'deltaPack',
  'allowance',
  'createdAt',
];

function toReported(data: DocumentData): ReportedEntry {
  return {
    kind: data.kind as LedgerKind,
    feature: typeof data.feature === 'string' ? data.feature : null,
    cost: credits(data.cost),
    isRefused: data.outcome === 'exhausted',
    deltaAllowance: credits(data.deltaAllowance),
    deltaPack: credits(data.deltaPack),
    allowance: credits(data.allowance),
    createdAt: millis(data.createdAt),
  };
}

function credits(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function millis(value: unknown): Millis {
  return value instanceof Timestamp ? value.toMillis() : 0;
}
