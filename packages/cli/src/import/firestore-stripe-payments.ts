import { CustomerFields } from '@extension-billing/contract/record';
import {
  type DocumentData,
  DocumentReference,
  type DocumentSnapshot,
  type Firestore,
  Timestamp,
} from 'firebase-admin/firestore';
import { parseUid } from '../../../../functions/src/store/documents.ts';
import { documentsOf, queries as storeQueries } from '../../../../functions/src/store/queries.ts';
import { queries } from '../support/queries.ts';
import { GIVEN, type SourcePrice } from './mapping.ts';
import { NOBODY, type Person, type SaidRight } from './person.ts';

// What the Firebase extension firestore-stripe-payments writes (github.com/invertase/stripe-firebase-extensions,
// functions/src/utils.ts): `{customers}/{uid}` with stripeId, beside whatever the owner keeps there; under it
// `subscriptions/{id}` with the status of Stripe's subscription, and `payments/{id}`, payment intents as they came. Its
// webhook answers 200 where it failed, so these may be behind: Stripe's word counts wherever Stripe has the object.

/** Where the extension keeps its customers unless it was told otherwise (extension.yaml). */
export const CUSTOMERS = 'customers';

const PAGE = 300;

/** Their rule for who may use what is paid. */
const PAYING: ReadonlySet<unknown> = new Set(['active', 'trialing']);

/** Everybody whom the extension knows, a page at a time. */
export async function* gatherFirebaseExtension(
  firestore: Firestore,
  collection: string,
): AsyncGenerator<Person> {
  const known = storeQueries.byId(firestore.collection(collection));
  for await (const doc of documentsOf(known, PAGE)) {
    const person = await readPerson(doc, collection === CUSTOMERS);
    if (person !== null) yield person;
  }
}

/** Null: the document is not the extension's, or its id can be no user's. */
async function readPerson(doc: DocumentSnapshot, isOurs: boolean): Promise<Person | null> {
  const { stripeId, email, ...fields } = doc.data() ?? {};
  const uid = parseUid(doc.id);
  if (uid === null || typeof stripeId !== 'string') return null;
  const [subscriptions, payments] = await Promise.all([
    doc.ref.collection('subscriptions').get(),
    queries.succeededPayments(doc.ref.firestore, doc.ref.path).get(),
  ]);
  return {
    ...NOBODY,
    name: uid,
    uid,
    mail: typeof email === 'string' ? email : null,
    customers: [stripeId],
    said: [
      ...subscriptions.docs.flatMap((each) => readSubscription(each.id, each.data())),
      ...payments.docs.flatMap((each) => readPayment(each.id, each.data())),
    ],
    trialUsed: subscriptions.docs.some((each) => each.get('trial_start') instanceof Timestamp),
    // A record with this field is this service's own, which free credits make before anything is bought.
    taken:
      isOurs && fields.schemaVersion === undefined
        ? Object.keys(fields).filter((name) => name in CustomerFields.entries)
        : [],
  };
}

function readSubscription(id: string, data: DocumentData): readonly SaidRight[] {
  if (!PAYING.has(data.status)) return [];
  const end: unknown = data.current_period_end;
  const until = end instanceof Timestamp ? end.toMillis() : null;
  return [
    {
      about: `subscription ${id}`,
      price: priceIn(data.price, data.role),
      stripe: id,
      isBeside: true,
      // Somebody wrote it by hand and lets it stand: by the extension's own rule its status alone counts.
      until: until !== null && until > Date.now() ? until : null,
    },
  ];
}

/** One that an invoice of a subscription made is the subscription's. */
function readPayment(id: string, data: DocumentData): readonly SaidRight[] {
  if (typeof data.invoice === 'string') return [];
  const [price] = Array.isArray(data.prices) ? data.prices : [];
  return [{ about: `payment ${id}`, price: priceIn(price, null), stripe: id, isBeside: true, until: null }];
}

/** A price by its reference, `products/{product}/prices/{price}`, and by the role that its product gives. */
function priceIn(reference: unknown, role: unknown): SourcePrice {
  const ids = reference instanceof DocumentReference ? [reference.id, reference.parent.parent?.id ?? ''] : [];
  const names = [...ids, ...(typeof role === 'string' ? [role] : [])].filter((name) => name !== '');
  return {
    names: names.length > 0 ? names : ['given'],
    ...{ interval: GIVEN, count: 1, currency: null, amount: null },
  };
}
