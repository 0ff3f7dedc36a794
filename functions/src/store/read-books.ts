import type { CustomerRecord } from '@extension-billing/contract/customer';
import type { Firestore } from 'firebase-admin/firestore';
import type { Balances } from '../domain/balance.ts';
import type { Uid } from '../domain/uid.ts';
import { readFacts, type StoredFacts } from './accounts.ts';
import { readCustomer } from './customers.ts';
import { paths } from './paths.ts';
import { sumLedger } from './sum-ledger.ts';

/** All that is stored of one user, at one moment. */
export interface StoredBooks {
  readonly record: CustomerRecord | null;
  /** Null: no event of this user has come yet. */
  readonly stored: StoredFacts | null;
  /** What the ledger adds up to. */
  readonly ledger: Balances;
  /** The provider's customers of this user, from wherever they are known. */
  readonly customers: readonly string[];
}

/** Reads record, facts and the ledger's sum in one snapshot, so that a consume in between cannot part them. */
export function readStoredBooks(firestore: Firestore, uid: Uid): Promise<StoredBooks> {
  const owned = firestore.collection('provider_customers').where('uid', '==', uid);
  return firestore.runTransaction(
    async (transaction) => {
      const [customer, facts] = await transaction.getAll(
        paths.customer(firestore, uid),
        paths.facts(firestore, uid),
      );
      const { docs } = await transaction.get(owned);
      const record = readCustomer(customer);
      const stored = readFacts(facts);
      const checkout: unknown = facts?.get('checkout.customerId');
      return {
        record,
        stored,
        ledger: await sumLedger(firestore, transaction, uid),
        customers: [...new Set([...docs.map(({ id }) => id), ...customersIn(record, stored, checkout)])],
      };
    },
    { readOnly: true },
  );
}

/** The provider's customers that a user's own documents name; an imported one also when another was seen since. */
export function customersIn(
  record: CustomerRecord | null,
  stored: StoredFacts | null,
  checkout: unknown,
): readonly string[] {
  const { customers = {}, imported } = stored?.facts ?? {};
  const named = [...Object.keys(customers), record?.customerId, imported?.customerId, checkout];
  return named.filter((id) => typeof id === 'string');
}
