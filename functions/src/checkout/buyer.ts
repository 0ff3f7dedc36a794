import type { CustomerRecord } from '@extension-billing/contract/record';
import type { DocumentSnapshot, Firestore, Timestamp } from 'firebase-admin/firestore';
import { readFacts } from '../events/apply.ts';
import { isDeleted } from '../events/deletion.ts';
import { billedCurrency } from '../events/entitlement.ts';
import type { Facts } from '../events/facts.ts';
import { paths, readCustomer, requireKnownSchema, SCHEMA_VERSION, type Uid } from '../store/documents.ts';
import { isConflict, type RetryPolicy, retry } from '../store/transact.ts';
import { type BuyerRecord, NO_CHECKOUTS, type OpenCheckout, type RecentCheckouts } from './decide.ts';

/** What is stored of a user that matters to a purchase. */
export interface Buyer {
  readonly record: BuyerRecord | null;
  /** The provider's customer for this user. */
  readonly customerId: string | null;
  /** What the provider said so far; null before its first word. */
  readonly facts: Facts | null;
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
    facts: known?.facts ?? null,
    open: checkout.open ?? null,
    recent: { ...NO_CHECKOUTS, ...checkout.recent },
    isDeleted: isDeleted(facts),
    version: facts?.updateTime ?? null,
  };
}

/** The currency that the provider bills a buyer in, as long as a subscription of theirs lives; null where none does. */
export function currencyOf({ facts }: Pick<Buyer, 'facts'>): string | null {
  return facts === null ? null : billedCurrency(facts);
}

/** The same, read by itself to show what is there: nothing is written on top, so any form will do. */
export async function readCurrency(firestore: Firestore, uid: Uid): Promise<string | null> {
  const known = readFacts(await paths.facts(firestore, uid).get());
  return currencyOf({ facts: known?.facts ?? null });
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

/** A claim as it was written, with the version that only its owner knows. */
export interface Claim {
  readonly open: OpenCheckout;
  readonly version: Timestamp;
}

/**
 * Claims the one plan checkout of a user on top of what was read, and counts it. Null: another request, or the
 * webhook, wrote in between; read again.
 */
export async function claimCheckout(
  firestore: Firestore,
  uid: Uid,
  readVersion: Timestamp | null,
  open: OpenCheckout,
  recent: RecentCheckouts,
): Promise<Claim | null> {
  const version = await write(firestore, uid, readVersion, { open, recent });
  return version === null ? null : { open, version };
}

/** Counts a pack's checkout on top of what was read. False: something else was written in between; read again. */
export async function countCheckout(
  firestore: Firestore,
  uid: Uid,
  readVersion: Timestamp | null,
  recent: RecentCheckouts,
): Promise<boolean> {
  return (await write(firestore, uid, readVersion, { recent })) !== null;
}

/**
 * Puts what came of it in place of a claim. False: the claim had lapsed and another request holds the checkout
 * now.
 */
export async function settleClaim(
  firestore: Firestore,
  uid: Uid,
  claim: Claim,
  settled: OpenCheckout | null,
): Promise<boolean> {
  if ((await write(firestore, uid, claim.version, { open: settled })) !== null) return true;
  // The webhook writes to the same document: what counts is that the claim is still this one.
  return retry(async () => {
    const buyer = await readBuyer(firestore, uid);
    if (buyer.open?.attempt !== claim.open.attempt) return false;
    await writeAt(firestore, uid, buyer.version, { open: settled });
    return true;
  }, ON_CONFLICT);
}

/** Until it succeeds: each conflict is another request's progress. */
const ON_CONFLICT: RetryPolicy = (error) => (isConflict(error) ? 10 + Math.random() * 40 : null);

async function write(
  firestore: Firestore,
  uid: Uid,
  readVersion: Timestamp | null,
  fields: CheckoutFields,
): Promise<Timestamp | null> {
  try {
    return await writeAt(firestore, uid, readVersion, fields);
  } catch (error) {
    if (isConflict(error)) return null;
    throw error;
  }
}

interface CheckoutFields {
  readonly open?: OpenCheckout | null;
  readonly recent?: RecentCheckouts;
}

/** @throws a conflict if the document is no longer of that version */
async function writeAt(
  firestore: Firestore,
  uid: Uid,
  readVersion: Timestamp | null,
  fields: CheckoutFields,
): Promise<Timestamp> {
  const ref = paths.facts(firestore, uid);
  const { writeTime } =
    readVersion === null
      ? await ref.create({ schemaVersion: SCHEMA_VERSION, checkout: fields })
      : await ref.update(namedInCheckout(fields), { lastUpdateTime: readVersion });
  return writeTime;
}

/** By their paths, so that the other fields of `checkout` stay as they are. */
function namedInCheckout(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [`checkout.${name}`, value]));
}

/**
 * Keeps a new provider customer as the user's one, together with the way back from customer to user that the
 * webhook needs. Answers the customer that counts: where another request was first, its customer, not the
 * given one. `lost` is a customer that the provider no longer has, which the new one replaces.
 */
export async function keepCustomer(
  firestore: Firestore,
  uid: Uid,
  customerId: string,
  lost: string | null,
): Promise<string> {
  return retry(async () => {
    const buyer = await readBuyer(firestore, uid);
    if (buyer.customerId !== null && buyer.customerId !== lost) return buyer.customerId;
    const batch = firestore.batch();
    batch.set(paths.providerCustomer(firestore, customerId), { uid }, { merge: true });
    const facts = paths.facts(firestore, uid);
    if (buyer.version === null)
      batch.create(facts, { schemaVersion: SCHEMA_VERSION, checkout: { customerId } });
    else batch.update(facts, { 'checkout.customerId': customerId }, { lastUpdateTime: buyer.version });
    await batch.commit();
    return customerId;
  }, ON_CONFLICT);
}
