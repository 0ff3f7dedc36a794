import { type DocumentData, type DocumentSnapshot, Timestamp } from 'firebase-admin/firestore';
import { isRefusal, type LedgerEntry, REFUSAL_LASTS, type RequestEntry } from '../domain/ledger.ts';

/**
 * A ledger entry as Firestore holds it; its id is the document's. Refusals alone say when they may go, by the policy in
 * firestore.indexes.json: what moved credits stays (docs/decisions/0133-refusals-are-not-kept.md).
 */
export function toEntryDocument(entry: LedgerEntry): DocumentData {
  const { id: _id, createdAt, ...fields } = entry;
  return {
    ...fields,
    ...('expiresAt' in fields && { expiresAt: Timestamp.fromMillis(fields.expiresAt) }),
    ...(isRefusal(entry) && { expireAt: Timestamp.fromMillis(createdAt + REFUSAL_LASTS) }),
    createdAt: Timestamp.fromMillis(createdAt),
  };
}

/** The recorded outcome of an earlier request; null where there is none. */
export function readRequestEntry(snapshot: DocumentSnapshot): RequestEntry | null {
  const data = snapshot.data();
  if (data === undefined) return null;
  const { createdAt, expiresAt, expireAt: _expireAt, ...entry } = data;
  return {
    ...entry,
    id: snapshot.id,
    createdAt: millis(createdAt),
    ...(expiresAt !== undefined && { expiresAt: millis(expiresAt) }),
  } as RequestEntry;
}

function millis(value: unknown): number {
  return value instanceof Timestamp ? value.toMillis() : 0;
}
