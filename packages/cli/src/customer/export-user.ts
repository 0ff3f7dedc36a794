import { Timestamp } from 'firebase-admin/firestore';
import type { Stripe } from 'stripe';
import type { Uid } from '../../../../functions/src/domain/uid.ts';
import type { CheckDeps } from '../../../../functions/src/reconcile/check-user.ts';
import { paths } from '../../../../functions/src/store/paths.ts';
import { readStoredBooks } from '../../../../functions/src/store/read-books.ts';

/**
 * All that this service, Firebase Authentication and the provider hold of one user, for the user to have: nothing is
 * left out but the password's hash. Times are ISO 8601, except inside of the provider's objects and the facts, which
 * stand as they are stored. Null or empty where there is nothing.
 */
export async function exportUser(deps: CheckDeps, uid: Uid) {
  const { firestore } = deps;
  const { customers } = await readStoredBooks(firestore, uid);
  const [record, facts] = await firestore.getAll(paths.customer(firestore, uid), paths.facts(firestore, uid));
  const ledger = await paths.ledger(firestore, uid).orderBy('createdAt').get();
  const events = await firestore.collection('billing_events').where('uids', 'array-contains', uid).get();
  return {
    format: 1,
    uid,
    exportedAt: new Date(deps.now()).toISOString(),
    auth: await readProfile(deps, uid),
    record: readable(record?.data() ?? null),
    ledger: ledger.docs.map((entry) => readable({ id: entry.id, ...entry.data() })),
    facts: readable(facts?.data() ?? null),
    events: events.docs.map((marker) => readable({ id: marker.id, ...marker.data() })),
    provider: await readProvider(deps, customers),
  };
}

async function readProfile({ auth }: CheckDeps, uid: Uid) {
  try {
    const {
      passwordHash: _hash,
      passwordSalt: _salt,
      ...profile
    } = (await auth.getUser(uid)).toJSON() as Record<string, unknown>;
    return profile;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'auth/user-not-found') return null;
    throw error;
  }
}

async function readProvider(deps: CheckDeps, customers: readonly string[]) {
  if (customers.length === 0) return [];
  const stripe = await deps.stripe();
  return Promise.all(
    customers.map(async (customer) => ({
      customer: await stripe.customers.retrieve(customer).catch(asUnknown(customer)),
      subscriptions: await all(stripe.subscriptions.list({ customer, status: 'all', limit: 100 })),
      invoices: await all(stripe.invoices.list({ customer, limit: 100 })),
      charges: await all(stripe.charges.list({ customer, limit: 100 })),
    })),
  );
}

/** A customer of the provider's other mode, or one that was removed there, is told by its id. */
function asUnknown(id: string) {
  return (error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'resource_missing')
      return { id, missing: true };
    throw error;
  };
}

async function all<Item>(list: Stripe.ApiListPromise<Item>): Promise<readonly Item[]> {
  try {
    const items: Item[] = [];
    for await (const item of list) items.push(item);
    return items;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'resource_missing') return [];
    throw error;
  }
}

/** Firestore's values as JSON has them. */
function readable(value: unknown): unknown {
  if (value instanceof Timestamp) return value.toDate().toISOString();
  if (Array.isArray(value)) return value.map(readable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([field, held]) => [field, readable(held)]));
}
