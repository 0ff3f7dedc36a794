import { type DocumentData, type DocumentSnapshot, Timestamp } from 'firebase-admin/firestore';
import type { ConsumeEntry, LedgerEntry } from '../domain/ledger.ts';

/** A ledger entry as Firestore holds it; its id is the document's. */
export function toEntryDocument({ id: _id, createdAt, ...entry }: LedgerEntry): DocumentData {
  return { ...entry, createdAt: Timestamp.fromMillis(createdAt) };
}

/** The recorded outcome of an earlier consume; null where there is none. */
export function readConsumeEntry(snapshot: DocumentSnapshot): ConsumeEntry | null {
  const data = snapshot.data();
  if (data === undefined) return null;
  const { createdAt, ...entry } = data;
  return {
    ...(entry as Omit<ConsumeEntry, 'id' | 'createdAt'>),
    id: snapshot.id,
    createdAt: createdAt instanceof Timestamp ? createdAt.toMillis() : 0,
  };
}
