import type { Millis } from '@extension-billing/contract/customer';
import { FieldValue, type Firestore, Timestamp } from 'firebase-admin/firestore';
import type { Uid } from '../domain/uid.ts';
import { paths } from './paths.ts';

/**
 * Marks an account as deleted, in the field `deletedAt` of `billing_facts/{uid}`, and gives up its open checkout: a
 * request that is making one finds its claim gone, and closes what it made. Record and ledger stay: they are the books.
 */
export async function markDeleted(firestore: Firestore, uid: Uid, now: Millis): Promise<void> {
  const fields = { deletedAt: Timestamp.fromMillis(now), checkout: { open: null } };
  await paths.facts(firestore, uid).set(fields, { merge: true });
}

/** Takes the mark back: the deletion could not be carried out, and the account lives on. */
export async function unmarkDeleted(firestore: Firestore, uid: Uid): Promise<void> {
  await paths.facts(firestore, uid).update({ deletedAt: FieldValue.delete() });
}
