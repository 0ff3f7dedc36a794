import type { CreditParts, Millis } from '@extension-billing/contract/customer';
import {
  encodeEntry,
  type LedgerEntry,
  type RequestEntry,
  readRequestEntry as readEntry,
} from '@extension-billing/contract/ledger';
import {
  AggregateField,
  type DocumentData,
  type DocumentSnapshot,
  type Firestore,
  type Transaction,
} from 'firebase-admin/firestore';
import { paths, toTimestamp, type Uid } from './documents.ts';

// The ledger of a user's credits as Firestore holds it: entries, refusals that expire, and what it adds up to.

/** A request that was refused for want of credits: its entry moves nothing, and is kept only to be replayed. */
export function isRefusal(entry: LedgerEntry): boolean {
  return 'outcome' in entry && entry.outcome === 'exhausted';
}

/** How long a refusal is replayed at least. After it the same key is decided anew. */
export const REFUSAL_LASTS: Millis = 7 * 24 * 60 * 60 * 1000;

/**
 * The invariant of design section 4: the deltas of the ledger add up to the record.
 * Returns the sum, for the caller to compare.
 */
export function sumOf(entries: Iterable<Pick<LedgerEntry, 'deltaAllowance' | 'deltaPack'>>): CreditParts {
  let allowance = 0;
  let packs = 0;
  for (const entry of entries) {
    allowance += entry.deltaAllowance;
    packs += entry.deltaPack;
  }
  return { allowance, packs };
}

/**
 * A ledger entry as Firestore holds it. Refusals alone say when they may go, by the policy in firestore.indexes.json:
 * what moved credits stays (docs/decisions/0133-refusals-are-not-kept.md).
 */
export function toEntryDocument(entry: LedgerEntry): DocumentData {
  return {
    ...encodeEntry(entry, toTimestamp),
    ...(isRefusal(entry) && { expireAt: toTimestamp(entry.createdAt + REFUSAL_LASTS) }),
  };
}

/** The recorded outcome of an earlier request; null where there is none. */
export function readRequestEntry(snapshot: DocumentSnapshot): RequestEntry | null {
  return readEntry(snapshot.id, snapshot.data());
}

/**
 * What a user's ledger adds up to. Added up by the database: one read for a thousand entries. Both sums in one query, so
 * of one moment and read once; deployed, that takes the composite index in firestore.indexes.json
 * (docs/decisions/0121-what-is-indexed.md).
 */
export async function sumLedger(
  firestore: Firestore,
  transaction: Transaction,
  uid: Uid,
): Promise<CreditParts> {
  const sums = paths.ledger(firestore, uid).aggregate({
    allowance: AggregateField.sum('deltaAllowance'),
    packs: AggregateField.sum('deltaPack'),
  });
  const { allowance, packs } = (await transaction.get(sums)).data();
  return { allowance: allowance ?? 0, packs: packs ?? 0 };
}
