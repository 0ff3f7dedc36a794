import type { CustomerRecord } from '@extension-billing/contract/customer';
import type { DocumentSnapshot, Firestore, Timestamp } from 'firebase-admin/firestore';
import type { BuyerRecord, OpenCheckout } from '../domain/checkout.ts';
import { NO_CHECKOUTS, type RecentCheckouts } from '../domain/checkout-limit.ts';
import { unheardCustomer } from '../domain/entitlement.ts';
import type { Uid } from '../domain/uid.ts';
import { readFacts } from './accounts.ts';
import { readCustomer } from './customers.ts';
import { paths } from './paths.ts';
import { requireKnownSchema } from './schema-version.ts';

/** What is stored of a user that matters to a purchase. */
export interface Buyer {
  readonly record: BuyerRecord | null;
  /** The provider's customer for this user. */
  readonly customerId: string | null;
  /** Where the subscription of an imported plan may be running that was never heard of: the provider has to be asked. */
  readonly unheardCustomer: string | null;
  readonly open: OpenCheckout | null;
  readonly recent: RecentCheckouts;
  /** The account was deleted; a token of its time may still be valid. */
  readonly isDeleted: boolean;
  /** Version of the document that a claim is written to; null while it does not exist. */
  readonly version: Timestamp | null;
}

/** The field `checkout` of `billing_facts/{uid}`, written by checkout and by nothing else. */
interface StoredCheckout {
  readonly customerId?: string;
  readonly open?: OpenCheckout | null;
  readonly recent?: RecentCheckouts;
}

/**
 * Reads the record and the checkout state of a user in one call.
 *
 * @throws NewerSchema where a newer build wrote them: what a checkout would write on top is not known to be right
 */
export async function readBuyer(firestore: Firestore, uid: Uid): Promise<Buyer> {
  const { customer, facts } = await readBoth(firestore, uid);
  requireKnownSchema(customer, facts);
  const record = readCustomer(customer);
  const checkout = readCheckout(facts);
  const known = readFacts(facts);
  return {
    record,
    customerId: customerIdOf(record, checkout),
    unheardCustomer: known === null ? null : unheardCustomer(known.facts),
    open: checkout.open ?? null,
    recent: { ...NO_CHECKOUTS, ...checkout.recent },
    isDeleted: facts?.get('deletedAt') !== undefined,
    version: facts?.updateTime ?? null,
  };
}

/** The provider's customer of a user, to show what is there: nothing is written on top, so any form will do. */
export async function readCustomerId(firestore: Firestore, uid: Uid): Promise<string | null> {
  const { customer, facts } = await readBoth(firestore, uid);
  return customerIdOf(readCustomer(customer), readCheckout(facts));
}

async function readBoth(firestore: Firestore, uid: Uid) {
  const [customer, facts] = await firestore.getAll(
    paths.customer(firestore, uid),
    paths.facts(firestore, uid),
  );
  return { customer, facts };
}

function customerIdOf(record: CustomerRecord | null, { customerId }: StoredCheckout): string | null {
  return customerId ?? record?.customerId ?? null;
}

function readCheckout(facts: DocumentSnapshot | undefined): StoredCheckout {
  return (facts?.get('checkout') as StoredCheckout | undefined) ?? {};
}
