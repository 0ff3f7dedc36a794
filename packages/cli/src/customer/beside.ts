import { CustomerFields } from '@extension-billing/contract/record';
import { FieldValue, type Firestore, type QueryDocumentSnapshot } from 'firebase-admin/firestore';
import { paths, type Uid } from '../../../../functions/src/store/documents.ts';
import { documentsOf, queries as storeQueries } from '../../../../functions/src/store/queries.ts';
import { queries } from '../support/queries.ts';

// What Firestore holds of a user beside this service's own books: fields and subcollections of `customers/{uid}` that the
// Firebase extension firestore-stripe-payments or the owner writes, and the identities that had free credits.

/** The subcollection of `customers/{uid}` that belongs to this service. */
const LEDGER = 'credit_ledger';
/** What firestore-stripe-payments keeps of a person. */
const THEIR_FIELDS: readonly string[] = ['email', 'phone'];
const THEIR_COLLECTIONS: ReadonlySet<string> = new Set(['checkout_sessions', 'subscriptions', 'payments']);

const PAGE = 300;

/** The identities whose free credits a user has: `free_identities/{hash of the address}`. */
export async function freeIdentitiesOf(
  firestore: Firestore,
  uid: Uid,
): Promise<readonly QueryDocumentSnapshot[]> {
  return (await queries.freeIdentitiesOf(firestore, uid).get()).docs;
}

/** The documents below a user's record that are not the books, however deep. */
export async function* documentsBeside(
  firestore: Firestore,
  uid: Uid,
): AsyncGenerator<QueryDocumentSnapshot> {
  for (const name of await collectionsBeside(firestore, uid))
    yield* documentsIn(firestore, `${paths.customer(firestore, uid).path}/${name}`);
}

async function* documentsIn(firestore: Firestore, path: string): AsyncGenerator<QueryDocumentSnapshot> {
  const query = storeQueries.byId(firestore.collection(path));
  for await (const document of documentsOf(query, PAGE)) {
    yield document;
    for (const { path: below } of await document.ref.listCollections()) yield* documentsIn(firestore, below);
  }
}

async function collectionsBeside(firestore: Firestore, uid: Uid): Promise<readonly string[]> {
  const collections = await paths.customer(firestore, uid).listCollections();
  return collections.map(({ id }) => id).filter((id) => id !== LEDGER);
}

/** What an erasure deletes beside the account, and what it leaves and says. */
export interface Beside {
  /** Fields of the record with an address in them. */
  readonly fields: readonly string[];
  /** Subcollections of firestore-stripe-payments. */
  readonly collections: readonly string[];
  /** The owner's own fields and subcollections. */
  readonly others: readonly string[];
}

/** @param mail the address of the sign-in; null if it is gone */
export async function readBeside(firestore: Firestore, uid: Uid, mail: string | null): Promise<Beside> {
  const data = (await paths.customer(firestore, uid).get()).data() ?? {};
  const own = Object.keys(data).filter(
    (field) => !(field in CustomerFields.entries) && field !== 'schemaVersion',
  );
  const known = [mail, data.email].flatMap((each) => (typeof each === 'string' ? [each.toLowerCase()] : []));
  const names = (field: string) => {
    const text = JSON.stringify(data[field]).toLowerCase();
    return known.some((address) => text.includes(address));
  };
  const fields = own.filter((field) => THEIR_FIELDS.includes(field) || names(field)).sort();
  const collections = await collectionsBeside(firestore, uid);
  return {
    fields,
    collections: collections.filter((id) => THEIR_COLLECTIONS.has(id)),
    others: [
      ...own.filter((field) => !fields.includes(field) && !THEIR_IDS.has(field)),
      ...collections.filter((id) => !THEIR_COLLECTIONS.has(id)),
    ],
  };
}

/** Where Stripe has the customer, which stays there. */
const THEIR_IDS: ReadonlySet<string> = new Set(['stripeId', 'stripeLink']);

export async function deleteBeside(
  firestore: Firestore,
  uid: Uid,
  { fields, collections }: Beside,
): Promise<void> {
  const ref = paths.customer(firestore, uid);
  for (const id of collections) await firestore.recursiveDelete(ref.collection(id));
  if (fields.length > 0)
    await ref.update(Object.fromEntries(fields.map((field) => [field, FieldValue.delete()])));
}
