import type { Firestore, Transaction } from 'firebase-admin/firestore';
import type { CustomerRecord } from '../contract/customer.ts';
import { type Balances, NO_CREDITS } from '../domain/balance.ts';
import { type LedgerEntry, sumOf } from '../domain/ledger.ts';
import type { Uid } from '../domain/uid.ts';
import { paths } from './paths.ts';

/** What a user's ledger adds up to. Only an account that is imported is read for it: others start at nothing. */
export async function sumLedger(
  firestore: Firestore,
  transaction: Transaction,
  uid: Uid,
  record: CustomerRecord | null,
): Promise<Balances> {
  if (record === null) return NO_CREDITS;
  const { docs } = await transaction.get(paths.ledger(firestore, uid));
  return sumOf(docs.map((entry) => entry.data() as LedgerEntry));
}
