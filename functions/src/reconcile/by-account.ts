import { readAudit } from '@extension-billing/contract/audit';
import type { CustomerRecord } from '@extension-billing/contract/record';
import type { Firestore } from 'firebase-admin/firestore';
import { customersIn, readFacts } from '../events/apply.ts';
import { factOf } from '../events/grants.ts';
import { isDocumentId, parseUid, paths, readCustomer, type Uid } from '../store/documents.ts';
import { pageById, queries, sumLedger } from '../store/queries.ts';
import { compareGrants, compareWithFacts, compareWithLedger, type Difference } from './compare.ts';
import { differs, type Look } from './look.ts';
import type { PassPage, PassState } from './pass.ts';
import { compareClaims } from './user.ts';

// All that the store has, a page at a time. These looks are short: what they see may be of two moments, so who differs is
// looked at whole, and that decides.

/** Firebase Auth is asked for at most so many accounts at once. */
const PAGE = 100;
/** Users that are looked at whole between two saves. */
const USERS = 20;
/** Of an id of the provider's, and of a document. */
const LONGEST_ID = 255;

/**
 * Everybody with facts: the record by the facts and the clock, the claims by the record, and the ledger's sum where
 * something was written since the last clean pass, or where no customer leads to a whole look. Two reads for a user of
 * whom nothing changed.
 */
export async function byFacts(look: Look, pass: PassState): Promise<PassPage> {
  const { deps } = look;
  const { firestore } = deps;
  const page = await pageOf(firestore, 'billing_facts', pass.cursor, PAGE);
  const uids = page.docs.flatMap(({ id }) => parseUid(id) ?? []);
  if (uids.length === 0) return page;
  const [customers, claims] = await Promise.all([
    firestore.getAll(...uids.map((uid) => paths.customer(firestore, uid))),
    readAllClaims(look, uids),
  ]);
  const facts = new Map(page.docs.map((doc) => [doc.id, doc]));
  const differing: Uid[] = [];
  await look.inParallel([...uids.entries()], async ([index, uid]) => {
    const customer = customers[index];
    const record = readCustomer(customer);
    const stored = readFacts(facts.get(uid));
    if (stored === null) return;
    try {
      const differences: Difference[] = [
        ...compareWithFacts({ ...stored, record }, deps.now(), deps.catalog()),
        ...compareClaims(record, claims.get(uid) ?? null),
      ];
      const written = customer?.updateTime?.toMillis() ?? 0;
      const checkout: unknown = facts.get(uid)?.get('checkout.customerId');
      const isSummed = written >= pass.since || customersIn(record, stored, checkout).length === 0;
      if (differences.length === 0 && isSummed)
        differences.push(...compareWithLedger(record, await sumLedger(firestore, null, uid)));
      if (differences.length > 0) differing.push(uid);
    } catch {
      // The whole look fails as well, and says so.
      differing.push(uid);
    }
  });
  return (await look.at(differing)) === 'away' ? 'away' : page;
}

/**
 * Every record: the claims by it, and whether the customer that it names leads here. That of a record from elsewhere does
 * not, so nobody else finds what was bought. One read for each, and one for its customer, so it is the week's pass.
 */
export async function byRecord(look: Look, pass: PassState): Promise<PassPage> {
  const { firestore } = look.deps;
  const page = await pageOf(firestore, 'customers', pass.cursor, PAGE);
  const records = page.docs.flatMap((doc) => {
    const uid = parseUid(doc.id);
    const record = readCustomer(doc);
    return uid === null || record === null ? [] : [{ uid, record }];
  });
  if (records.length === 0) return page;
  const uids = records.map(({ uid }) => uid);
  const [claims, owners] = await Promise.all([readAllClaims(look, uids), ownersOf(firestore, records)]);
  const differing = records.flatMap(({ uid, record }) => {
    const isLost = record.customerId !== null && owners.get(record.customerId) !== uid;
    return isLost || compareClaims(record, claims.get(uid) ?? null).length > 0 ? [uid] : [];
  });
  return (await look.at(differing)) === 'away' ? 'away' : page;
}

/** To whom the customers that these records name lead. */
async function ownersOf(
  firestore: Firestore,
  records: readonly { readonly record: CustomerRecord }[],
): Promise<ReadonlyMap<string, unknown>> {
  const named = records.flatMap(({ record: { customerId } }) =>
    isDocumentId(customerId, LONGEST_ID) ? [customerId] : [],
  );
  if (named.length === 0) return new Map();
  const owned = await firestore.getAll(
    ...[...new Set(named)].map((id) => paths.providerCustomer(firestore, id)),
  );
  return new Map(owned.map((customer) => [customer.id, customer.get('uid')]));
}

/** What was given by hand, and is not in the facts: after a loss of them. */
export async function byGrant(look: Look, pass: PassState): Promise<PassPage> {
  const { firestore } = look.deps;
  const page = await pageOf(firestore, 'billing_audit', pass.cursor, PAGE);
  const acts = page.docs.flatMap((doc) => {
    const audit = readAudit(doc.data());
    const uid = parseUid(audit?.uid);
    return audit === null || uid === null ? [] : [{ uid, fact: factOf(audit) }];
  });
  const uids = [...new Set(acts.map(({ uid }) => uid))];
  if (uids.length === 0) return page;
  const stored = await firestore.getAll(...uids.map((uid) => paths.facts(firestore, uid)));
  const facts = new Map(uids.map((uid, index) => [uid, readFacts(stored[index])]));
  const differing = acts.flatMap(({ uid, fact }) => {
    const known = facts.get(uid) ?? null;
    return known === null || differs(() => compareGrants(known.facts, [fact]).length > 0) ? [uid] : [];
  });
  return (await look.at(differing)) === 'away' ? 'away' : page;
}

/** Everybody who has a customer at the provider, whole: a call for the customer and one for each of four lists. */
export async function byCustomer(look: Look, pass: PassState): Promise<PassPage> {
  const page = await pageOf(look.deps.firestore, 'provider_customers', pass.cursor, USERS);
  const uids = page.docs.flatMap((owned) => parseUid(owned.get('uid')) ?? []);
  return (await look.at(uids, false)) === 'away' ? 'away' : page;
}

async function pageOf(firestore: Firestore, collection: string, after: string | null, limit: number) {
  const docs = await pageById(queries.byId(firestore.collection(collection)), after, limit);
  const next = docs.length < limit ? null : (docs.at(-1)?.id ?? null);
  return { docs, next, done: docs.length };
}

/** The claims of each that has an account, in one call. */
async function readAllClaims(
  { deps: { auth } }: Look,
  uids: readonly Uid[],
): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> {
  const { users } = await auth.getUsers(uids.map((uid) => ({ uid })));
  return new Map(users.map(({ uid, customClaims }) => [uid, customClaims ?? {}]));
}
