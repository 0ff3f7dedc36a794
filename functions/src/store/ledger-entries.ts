import { type DocumentData, type DocumentSnapshot, Timestamp } from 'firebase-admin/firestore';
import type { LedgerEntry, RequestEntry } from '../domain/ledger.ts';

/** A ledger entry as Firestore holds it; its id is the document's. */
export function toEntryDocument({ id: _id, createdAt, ...entry }: LedgerEntry): DocumentData {
  return {
    ...entry,
    ...('expiresAt' in entry && { expiresAt: Timestamp.fromMillis(entry.expiresAt) }),
    createdAt: Timestamp.fromMillis(createdAt),
  };
}

/** The recorded outcome of an earlier request; null where there is none. */
export function readRequestEntry(snapshot: DocumentSnapshot): RequestEntry | null {
  const data = snapshot.data();
  if (data === undefined) return null;
  const { createdAt, expiresAt, ...entry } = data;
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
