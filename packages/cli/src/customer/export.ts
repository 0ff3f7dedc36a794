import { renameSync, rmSync } from 'node:fs';
import { type AuditRecord, encodeAudit } from '@extension-billing/contract/audit';
import {
  DocumentReference,
  type Firestore,
  type QueryDocumentSnapshot,
  Timestamp,
} from 'firebase-admin/firestore';
import type { Stripe } from 'stripe';
import * as v from 'valibot';
import { readStoredAccount } from '../../../../functions/src/events/apply.ts';
import { readAudits } from '../../../../functions/src/events/grants.ts';
import type { CheckDeps } from '../../../../functions/src/reconcile/user.ts';
import { findAccount } from '../../../../functions/src/store/accounts.ts';
import { paths, type Uid } from '../../../../functions/src/store/documents.ts';
import { documentsOf } from '../../../../functions/src/store/queries.ts';
import type { StoreName } from '../support/connect.ts';
import { type LineFile, openLineFile } from '../support/line-file.ts';
import { queries } from '../support/queries.ts';
import { openResume, type Resume } from '../support/resume.ts';
import { documentsBeside, freeIdentitiesOf } from './beside.ts';

/** How far an export is: everything but the ledger is written before the first save. */
const State = v.object({
  /** Of the file, which count. */
  bytes: v.number(),
  entries: v.number(),
  total: v.number(),
  /** The entry that was written last. */
  after: v.nullable(v.object({ seconds: v.number(), nanoseconds: v.number(), id: v.string() })),
});
type State = v.InferOutput<typeof State>;

export interface ExportOptions {
  /** Go on with the run that was stopped. */
  readonly mayGoOn?: boolean;
  /** Where the user is: a run elsewhere is not gone on with. */
  readonly store?: StoreName;
  readonly stop?: AbortSignal;
  readonly onEntries?: (done: number, total: number) => void;
}

const PAGE = 500;

/**
 * Writes into a file all that this service, Firebase Authentication and the provider hold of one user, for the user to
 * have: nothing is left out but the password's hash. Times are ISO 8601, except inside of the provider's objects and
 * the facts, which stand as they are stored. Null or empty where there is nothing. However long a ledger is, a page of
 * it is in memory. The file is there when it is whole, and only its owner may read it.
 *
 * @returns false where it was stopped
 */
export async function exportUser(
  deps: CheckDeps,
  uid: Uid,
  path: string,
  { mayGoOn = false, store = '', stop, onEntries = () => {} }: ExportOptions = {},
): Promise<boolean> {
  const partial = `${path}.partial`;
  const resume = openResume<State>(
    { command: 'export', args: { uid, store }, schema: State, file: `${path}.progress` },
    mayGoOn,
  );
  // A new file invalidates the saved progress, even if the process dies right here.
  if (resume.state === null) resume.done();
  const state = resume.state ?? (await writeBegin(deps, uid, partial));
  if (!(await writeLedger(deps.firestore, uid, partial, state, resume, onEntries, stop))) return false;
  renameSync(partial, path);
  resume.done();
  return true;
}

/** Everything but the ledger, whose list is open then. */
async function writeBegin(deps: CheckDeps, uid: Uid, partial: string): Promise<State> {
  const { firestore } = deps;
  const { customers } = await readStoredAccount(firestore, uid);
  const [record, facts] = await firestore.getAll(paths.customer(firestore, uid), paths.facts(firestore, uid));
  rmSync(partial, { force: true });
  const file = await openLineFile(partial, 0);
  try {
    const sections = {
      format: 1,
      uid,
      exportedAt: new Date(deps.now()).toISOString(),
      auth: await readProfile(deps, uid),
      record: readable(record?.data() ?? null),
      facts: readable(facts?.data() ?? null),
      byHand: (await readAudits(firestore, uid)).map(dated),
    };
    await file.add('{');
    for (const [name, value] of Object.entries(sections)) {
      await file.add(`"${name}": ${JSON.stringify(value, null, 2)},\n`);
    }
    const events = queries.eventsOf(firestore, uid);
    await writeList(file, 'events', readableOf(documentsOf(events, PAGE)));
    await file.add(',\n');
    const identities = await freeIdentitiesOf(firestore, uid);
    await writeList(file, 'freeIdentities', readableOf(identities));
    await file.add(',\n');
    await writeList(file, 'beside', besideOf(firestore, uid));
    await file.add(',\n"provider": [');
    for (const [index, customer] of customers.entries()) {
      await file.add(index === 0 ? '{' : ',\n{');
      await writeCustomer(file, await deps.stripe(), customer);
      await file.add('}');
    }
    await file.add('],\n"ledger": [');
    const total = (await paths.ledger(firestore, uid).count().get()).data().count;
    return { bytes: await file.flush(), entries: 0, total, after: null };
  } finally {
    await file.close();
  }
}

/** Writes every ledger entry, oldest first. @returns false if it was stopped */
async function writeLedger(
  firestore: Firestore,
  uid: Uid,
  partial: string,
  begun: State,
  resume: Resume<State>,
  onEntries: (done: number, total: number) => void,
  stop: AbortSignal | undefined,
): Promise<boolean> {
  const file = await openLineFile(partial, begun.bytes);
  try {
    let state = begun;
    resume.save(state);
    for await (const entry of ledgerOf(firestore, uid, state.after)) {
      const { id } = entry;
      await file.add(
        `${state.entries === 0 ? '' : ','}\n${JSON.stringify(readable({ id, ...entry.data() }))}`,
      );
      state = { ...state, entries: state.entries + 1 };
      const at: unknown = entry.get('createdAt');
      if (state.entries % PAGE !== 0 || !(at instanceof Timestamp)) continue;
      const { seconds, nanoseconds } = at;
      state = { ...state, bytes: await file.flush(), after: { seconds, nanoseconds, id } };
      resume.save(state);
      onEntries(state.entries, state.total);
      if (stop?.aborted === true) return false;
    }
    await file.add(']}\n');
    return true;
  } finally {
    await file.close();
  }
}

/** Ledger entries by time, then by id, from after the given one. */
function ledgerOf(firestore: Firestore, uid: Uid, after: State['after']) {
  const query = queries.ledgerOf(firestore, uid, 'asc');
  const from =
    after === null ? query : query.startAfter(new Timestamp(after.seconds, after.nanoseconds), after.id);
  return documentsOf(from, PAGE);
}

/** What stands below the record and is not the books, each under its path. */
async function* besideOf(firestore: Firestore, uid: Uid): AsyncGenerator<unknown> {
  for await (const document of documentsBeside(firestore, uid))
    yield readable({ path: document.ref.path, ...document.data() });
}

async function* readableOf(
  documents: Iterable<QueryDocumentSnapshot> | AsyncIterable<QueryDocumentSnapshot>,
): AsyncGenerator<unknown> {
  for await (const document of documents) yield readable({ id: document.id, ...document.data() });
}

async function writeList(file: LineFile, name: string, items: AsyncIterable<unknown>): Promise<void> {
  await file.add(`"${name}": [`);
  let isFirst = true;
  for await (const item of items) {
    await file.add(`${isFirst ? '' : ','}\n${JSON.stringify(item)}`);
    isFirst = false;
  }
  await file.add(']');
}

async function writeCustomer(file: LineFile, stripe: Stripe, customer: string): Promise<void> {
  const known = await stripe.customers.retrieve(customer).catch(asUnknown(customer));
  await file.add(`"customer": ${JSON.stringify(known, null, 2)}`);
  const lists: Readonly<Record<string, AsyncIterable<unknown>>> = {
    subscriptions: stripe.subscriptions.list({ customer, status: 'all', limit: 100 }),
    invoices: stripe.invoices.list({ customer, limit: 100 }),
    charges: stripe.charges.list({ customer, limit: 100 }),
    // They have the name, address and phone that the buyer typed.
    checkouts: stripe.checkout.sessions.list({ customer, limit: 100 }),
  };
  for (const [name, items] of Object.entries(lists)) {
    await file.add(',\n');
    await writeList(file, name, ofKnown(items));
  }
}

/** A customer of the provider's other mode, or one that was removed there, is named by its id. */
function asUnknown(id: string) {
  return (error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'resource_missing')
      return { id, missing: true };
    throw error;
  };
}

/** What is there; nothing of a customer that is not. */
async function* ofKnown(items: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  try {
    yield* items;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'resource_missing')) throw error;
  }
}

/** An audit record with its times as the rest has them. */
function dated(audit: AuditRecord): unknown {
  return readable(encodeAudit(audit, (millis) => Timestamp.fromMillis(millis)));
}

async function readProfile({ auth }: CheckDeps, uid: Uid) {
  const account = await findAccount(auth, uid);
  if (account === null) return null;
  const {
    passwordHash: _hash,
    passwordSalt: _salt,
    ...profile
  } = account.toJSON() as Record<string, unknown>;
  return profile;
}

/** Firestore's values as JSON has them. */
function readable(value: unknown): unknown {
  if (value instanceof Timestamp) return value.toDate().toISOString();
  if (value instanceof DocumentReference) return value.path;
  if (Array.isArray(value)) return value.map(readable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([field, held]) => [field, readable(held)]));
}
