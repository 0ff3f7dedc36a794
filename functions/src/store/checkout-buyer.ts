import type { DocumentReference, DocumentSnapshot, Firestore, Timestamp } from 'firebase-admin/firestore';
import type { BuyerRecord, OpenCheckout } from '../domain/checkout.ts';
import type { Uid } from '../domain/uid.ts';

/** What is stored of a user that matters to a purchase. */
export interface Buyer {
  readonly record: BuyerRecord | null;
  /** The provider's customer for this user. */
  readonly customerId: string | null;
  readonly open: OpenCheckout | null;
  /** Version of the document that a claim is written to; null while it does not exist. */
  readonly version: Timestamp | null;
}

/** `billing_facts/{uid}`; its field `checkout` is written by checkout and by nothing else. */
export function factsRef(firestore: Firestore, uid: Uid): DocumentReference {
  return firestore.doc(`billing_facts/${uid}`);
}

/** Reads the record and the checkout state of a user in one call. */
export async function readBuyer(firestore: Firestore, uid: Uid): Promise<Buyer> {
  const [customer, facts] = await firestore.getAll(
    firestore.doc(`customers/${uid}`),
    factsRef(firestore, uid),
  );
  const checkout = readCheckout(facts);
  const known: unknown = customer?.get('customerId');
  return {
    record: customer?.exists === true ? readRecord(customer) : null,
    customerId: checkout.customerId ?? (typeof known === 'string' ? known : null),
    open: checkout.open,
    version: facts?.updateTime ?? null,
  };
}

function readRecord(customer: DocumentSnapshot): BuyerRecord {
  const plan: unknown = customer.get('plan');
  const status: unknown = customer.get('status');
  return {
    paid: customer.get('paid') === true,
    plan: typeof plan === 'string' ? plan : null,
    status: typeof status === 'string' ? status : null,
    trialUsed: customer.get('trialUsed') === true,
  };
}

/** The field `checkout` as this file's neighbours write it. */
interface StoredCheckout {
  readonly customerId?: string;
  readonly open?: OpenCheckout | null;
}

function readCheckout(facts: DocumentSnapshot | undefined): Pick<Buyer, 'customerId' | 'open'> {
  const stored = facts?.get('checkout') as StoredCheckout | undefined;
  return { customerId: stored?.customerId ?? null, open: stored?.open ?? null };
}
