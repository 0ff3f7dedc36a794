import type { CreditParts, Millis } from '@extension-billing/contract/customer';
import {
  AggregateField,
  type CollectionReference,
  FieldPath,
  type Firestore,
  type Query,
  type QueryDocumentSnapshot,
  Timestamp,
  type Transaction,
} from 'firebase-admin/firestore';
import { paths, type Uid } from './documents.ts';

/**
 * All queries of the backend. Lint refuses queries in other files: a deployed Firestore refuses a query without its index
 * and emulators don't, so tools/queries.test.ts compares each one here with firestore.indexes.json.
 */
export const queries = {
  /** Needs no index. */
  byId: (collection: CollectionReference): Query => collection.orderBy(FieldPath.documentId()),

  /** Index: `provider_customers.uid`. */
  providerCustomersOf: (firestore: Firestore, uid: Uid): Query =>
    firestore.collection('provider_customers').where('uid', '==', uid),

  /** Index: `billing_audit.uid`. */
  auditsOf: (firestore: Firestore, uid: Uid): Query =>
    firestore.collection('billing_audit').where('uid', '==', uid),

  /**
   * Markers of paid invoices by id, of all times: a range of time in addition would need an index that rises over all
   * users. Index: `billing_events.type`.
   */
  paidInvoices: (firestore: Firestore): Query =>
    firestore
      .collection('billing_events')
      .where('type', '==', 'invoice.paid')
      .orderBy(FieldPath.documentId()),

  /** Ledger entries from `from` to before `to`. Index: `credit_ledger.createdAt` in the same direction. */
  ledgerBetween: (
    firestore: Firestore,
    uid: Uid,
    { from, to }: { readonly from: Millis; readonly to: Millis },
    direction: 'asc' | 'desc',
  ): Query =>
    paths
      .ledger(firestore, uid)
      .where('createdAt', '>=', Timestamp.fromMillis(from))
      .where('createdAt', '<', Timestamp.fromMillis(to))
      .orderBy('createdAt', direction)
      .orderBy(FieldPath.documentId(), direction),

  /**
   * Both sums of a ledger in one query: of one moment, and read once (one read for a thousand entries). Index:
   * `credit_ledger` on `deltaAllowance` and `deltaPack`.
   */
  ledgerSums: (firestore: Firestore, uid: Uid) =>
    paths.ledger(firestore, uid).aggregate({
      allowance: AggregateField.sum('deltaAllowance'),
      packs: AggregateField.sum('deltaPack'),
    }),
};

/**
 * Adds up a user's ledger in the database.
 *
 * @param transaction null if nothing else has to be of the same moment
 */
export async function sumLedger(
  firestore: Firestore,
  transaction: Transaction | null,
  uid: Uid,
): Promise<CreditParts> {
  const sums = queries.ledgerSums(firestore, uid);
  const { allowance, packs } = (await (transaction === null ? sums.get() : transaction.get(sums))).data();
  return { allowance: allowance ?? 0, packs: packs ?? 0 };
}

/** Reads a page of a query that is ordered by id, whatever is written meanwhile: the first documents after an id. */
export async function pageById(
  ordered: Query,
  after: string | null,
  limit: number,
): Promise<readonly QueryDocumentSnapshot[]> {
  const page = ordered.limit(limit);
  return (await (after === null ? page : page.startAfter(after)).get()).docs;
}

/** Reads all documents of an ordered query, in pages, and holds only one page in memory. */
export async function* documentsOf(
  query: Query,
  pageSize: number,
): AsyncGenerator<QueryDocumentSnapshot, undefined> {
  const first = query.limit(pageSize);
  let page = first;
  for (;;) {
    const { docs } = await page.get();
    yield* docs;
    const last = docs.at(-1);
    if (last === undefined || docs.length < pageSize) return undefined;
    page = first.startAfter(last);
  }
}
