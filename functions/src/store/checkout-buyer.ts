import type { DocumentSnapshot, Firestore, Timestamp } from 'firebase-admin/firestore';
import type { BuyerRecord, OpenCheckout } from '../domain/checkout.ts';
import type { Uid } from '../domain/uid.ts';
import { readCustomer } from './customers.ts';
import { paths } from './paths.ts';

/** What is stored of a user that matters to a purchase. */
export interface Buyer {
  readonly record: BuyerRecord | null;
  /** The provider's customer for this user. */
  readonly customerId: string | null;
  readonly open: OpenCheckout | null;
  /** The account was deleted; a token of its time may still be valid. */
  readonly isDeleted: boolean;
  /** Version of the document that a claim is written to; null while it does not exist. */
  readonly version: Timestamp | null;
}

/** The field `checkout` of `billing_facts/{uid}`, written by checkout and by nothing else. */
interface StoredCheckout {
  readonly customerId?: string;
  readonly open?: OpenCheckout | null;
}

/** Reads the record and the checkout state of a user in one call. */
export async function readBuyer(firestore: Firestore, uid: Uid): Promise<Buyer> {
  const [customer, facts] = await firestore.getAll(
    paths.customer(firestore, uid),
    paths.facts(firestore, uid),
  );
  const record = readCustomer(customer);
  const checkout = readCheckout(facts);
  return {
    record,
    customerId: checkout.customerId ?? record?.customerId ?? null,
    open: checkout.open ?? null,
    isDeleted: facts?.get('deletedAt') !== undefined,
    version: facts?.updateTime ?? null,
  };
}

function readCheckout(facts: DocumentSnapshot | undefined): StoredCheckout {
  return (facts?.get('checkout') as StoredCheckout | undefined) ?? {};
}
