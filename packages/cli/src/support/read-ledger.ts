import { type Firestore, Timestamp } from 'firebase-admin/firestore';
import type { LedgerEntry } from '../../../../functions/src/domain/ledger.ts';
import type { Uid } from '../../../../functions/src/domain/uid.ts';
import { paths } from '../../../../functions/src/store/paths.ts';

/** A user's newest ledger entries, newest first. */
export async function readLedger(
  firestore: Firestore,
  uid: Uid,
  limit: number,
): Promise<readonly LedgerEntry[]> {
  const { docs } = await paths.ledger(firestore, uid).orderBy('createdAt', 'desc').limit(limit).get();
  return docs.map((entry) => {
    const fields = Object.entries(entry.data()).map(([field, value]) => [
      field,
      value instanceof Timestamp ? value.toMillis() : value,
    ]);
    return { createdAt: 0, ...Object.fromEntries(fields), id: entry.id } as LedgerEntry;
  });
}
