import type { Firestore } from 'firebase-admin/firestore';
import { compactLedger, type PageSizes } from '../../src/ledger/compact.ts';
import { rollBefore } from '../../src/ledger/roll.ts';
import { parseUid } from '../../src/store/documents.ts';

/** So small that some of a few old entries are in no page, and others in several. */
export const SMALL: PageSizes = { open: 120, page: 250 };

/** Compacts a user's ledger with the least that has to be kept. @throws what the service throws */
export async function compactOld(firestore: Firestore, uid: string): Promise<void> {
  const parsed = parseUid(uid);
  const now = Date.now();
  const before = rollBefore(now, 1);
  if (parsed === null || before === null) throw new Error(`${uid} has no ledger to compact`);
  await compactLedger(firestore, parsed, before, now, SMALL);
}
