import type { CreditParts } from '@extension-billing/contract/available-credits';
import { AggregateField, type Firestore, type Transaction } from 'firebase-admin/firestore';
import type { Uid } from '../domain/uid.ts';
import { paths } from './paths.ts';

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
