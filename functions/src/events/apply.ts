import { isSameRights, type Millis, NO_CREDITS, rightsIn } from '@extension-billing/contract/customer';
import type { LedgerEntry } from '@extension-billing/contract/ledger';
import type { CustomerRecord } from '@extension-billing/contract/record';
import {
  type DocumentData,
  type DocumentSnapshot,
  type Firestore,
  Timestamp,
  type Transaction,
} from 'firebase-admin/firestore';
import type { Balances } from '../credits/commands.ts';
import type { AppDeps } from '../deps.ts';
import {
  bytesOfDocument,
  paths,
  readCustomer,
  requireKnownSchema,
  SCHEMA_VERSION,
  setFields,
  toCustomerDocument,
  toEntryDocument,
  type Uid,
} from '../store/documents.ts';
import { runExclusive } from '../store/group-commit.ts';
import { queries, sumLedger } from '../store/queries.ts';
import { isTaken, transact } from '../store/transact.ts';
import type { BesideLifetime } from '../stripe/sale.ts';
import { type Account, derive, NOTHING_SPENT, type SpendAllocation } from './derive.ts';
import { besideLifetime } from './entitlement.ts';
import { type Facts, NO_FACTS, reduce, withPlanCredits, withSubscription } from './facts.ts';
import type { AccountEvent } from './hand-grants.ts';
import { openAccount } from './open-account.ts';
import { type Answer, mergedIn, settleSubscription } from './subscription.ts';

/** Markers outlive the provider's retries (3 days) and its manual resends (30 days). */
export const MARKER_LASTS: Millis = 45 * 24 * 60 * 60 * 1000;

/** `toEnd`: what would charge the owner of a lifetime plan again; null for those who own none. */
export type Committed =
  | {
      readonly kind: 'applied';
      /** What the claims say of the user is not what the record says any more. */
      readonly rightsChanged: boolean;
      readonly toEnd: BesideLifetime | null;
      /** What is known of the user weighs this much of what one document may. */
      readonly factsBytes: number;
    }
  | { readonly kind: 'duplicate'; readonly toEnd: BesideLifetime | null }
  /** Two snapshots cannot be ordered: ask the provider, then commit again with its answer. Nothing is written. */
  | { readonly kind: 'undecidable'; readonly subscription: string; readonly over: number }
  /**
   * A refund that names no product, of a purchase that is not known: not ours, as far as is known. Or an act that what is
   * written with it refuses. Nothing is written.
   */
  | { readonly kind: 'unrelated' }
  /** The answer settles nothing: let the provider deliver again. Nothing is written. */
  | { readonly kind: 'retry' };

/**
 * What is to be written with an event, in its transaction: it reads what it needs, and answers what it writes, or null
 * where the event may not be. Called for each attempt.
 */
export type Alongside = (transaction: Transaction) => Promise<(() => void) | null>;

/**
 * Applies one provider event to one user: event marker, facts, record and ledger entry are written together or not at all
 * (design, section 5), in a transaction of one batched read and one commit.
 *
 * @throws NewerSchema where a newer build wrote this user's documents
 * @param answer what the provider said of the subscription, when an earlier call was undecidable
 */
export function commitEvent(
  { firestore, catalog: inForce }: Pick<AppDeps, 'firestore' | 'catalog'>,
  uid: Uid,
  event: AccountEvent,
  now: Millis,
  answer: Answer | null = null,
  alongside: Alongside | null = null,
): Promise<Committed> {
  // One for all attempts: a refresh in between must not part what one event writes.
  const catalog = inForce();
  const marker = paths.marker(firestore, event.id);
  const factsRef = paths.facts(firestore, uid);
  const customerRef = paths.customer(firestore, uid);

  let hasDerived = false;
  const apply = async (
    transaction: Transaction,
    mayBeWritten: boolean,
    areTaken: boolean,
  ): Promise<Committed> => {
    const [seen, facts, customer] = await transaction.getAll(marker, factsRef, customerRef);
    requireKnownSchema(facts, customer);
    const known = readFacts(facts);
    if (seen?.exists === true) {
      // What an earlier delivery left undone is done by the next one.
      const toEnd = known === null ? null : besideLifetime(known.facts, catalog);
      // The marker of this very delivery's earlier attempt: what that one changed is not known any more.
      const isOwn = hasDerived && mayBeWritten;
      return isOwn
        ? { kind: 'applied', rightsChanged: true, toEnd, factsBytes: 0 }
        : { kind: 'duplicate', toEnd };
    }
    const record = readCustomer(customer);
    const isImport = known === null && record !== null;
    const writeAlongside = alongside === null ? NOTHING_ALONGSIDE : await alongside(transaction);
    if (writeAlongside === null) return { kind: 'unrelated' };
    // Only an imported record may have a ledger before its facts: others start at nothing.
    const ledger = isImport ? await sumLedger(firestore, transaction, uid) : NO_CREDITS;
    const opened =
      known === null
        ? openAccount(record, ledger, event.id, now)
        : { account: { ...known, record }, entry: null };
    if (!isRelated(event, opened.account.facts)) return { kind: 'unrelated' };
    const merged = merge(opened.account, event, answer, now);
    if (merged.kind !== 'merged') return merged;

    hasDerived = true;
    const derived = derive(opened.account, merged.facts, event, now, catalog);
    const wanted = [opened.entry, derived.period, derived.entry].filter((entry) => entry !== null);
    const entries = areTaken ? await withFreeIds(firestore, transaction, uid, event.id, wanted) : wanted;
    transaction.create(marker, toMarker(uid, event, now));
    writeAlongside();
    const factsDocument = toFactsDocument({ facts: merged.facts, allocation: derived.allocation });
    setFields(transaction, factsRef, facts, factsDocument);
    // Fields that an owner of the project added to the record are not ours to drop.
    setFields(transaction, customerRef, customer, toCustomerDocument(derived.record));
    // `create` fails where the entry exists: what is recorded stays as it was.
    for (const entry of entries) {
      transaction.create(paths.entry(firestore, uid, entry.id), toEntryDocument(entry));
    }
    if (isNewCustomer(opened.account.facts, event)) {
      transaction.set(paths.providerCustomer(firestore, String(event.customer)), { uid }, { merge: true });
    }
    // A record from elsewhere came without its claim.
    const rightsChanged = isImport || !isSameRights(rightsIn(record), rightsIn(derived.record));
    const factsBytes = bytesOfDocument(factsRef.path, factsDocument);
    return { kind: 'applied', rightsChanged, toEnd: besideLifetime(merged.facts, catalog), factsBytes };
  };
  return runExclusive(firestore, uid, async () => {
    const attempt = (areTaken: boolean): Promise<Committed> =>
      transact(firestore, (transaction, mayBeWritten) => apply(transaction, mayBeWritten, areTaken));
    try {
      return await attempt(false);
    } catch (error) {
      // A ledger from elsewhere may have the id of an entry. That keeps nobody's plan from starting or ending.
      if (!isTaken(error)) throw error;
      return await attempt(true);
    }
  });
}

const NOTHING_ALONGSIDE = (): void => {};

/** The entries under ids that the ledger does not have yet: the event's id, and a number, set them apart. */
async function withFreeIds(
  firestore: Firestore,
  transaction: Transaction,
  uid: Uid,
  eventId: string,
  entries: readonly LedgerEntry[],
): Promise<readonly LedgerEntry[]> {
  const free: LedgerEntry[] = [];
  for (const entry of entries) {
    let id = entry.id;
    for (let tries = 1; (await transaction.get(paths.entry(firestore, uid, id))).exists; tries += 1) {
      id = `${entry.id}_${eventId}${tries === 1 ? '' : `_${tries}`}`;
    }
    free.push({ ...entry, id });
  }
  return free;
}

function isRelated({ fact }: AccountEvent, { purchases }: Facts): boolean {
  return fact.kind !== 'charge_refunded' || fact.product !== null || purchases[fact.purchase] !== undefined;
}

type Merged =
  | { readonly kind: 'merged'; readonly facts: Facts }
  | Extract<Committed, { kind: 'undecidable' | 'retry' }>;

function merge(account: Account, event: AccountEvent, answer: Answer | null, now: Millis): Merged {
  const reduced = reduce(account.facts, event.fact, event.customer);
  if (reduced.kind === 'reduced') return { kind: 'merged', facts: reduced.facts };
  const { fact } = event;
  const known = account.facts.subscriptions[reduced.subscription];
  const undecidable = { ...reduced, over: mergedIn(known) };
  if (answer === null || fact.kind !== 'subscription_seen' || known === undefined) return undecidable;
  const settled = settleSubscription(known, fact, answer, now);
  if (settled === 'outdated') return undecidable;
  if (settled === 'retry') return { kind: 'retry' };
  const seen = withPlanCredits(account.facts, fact.subscription, fact.state);
  return { kind: 'merged', facts: withSubscription(seen, fact.subscription, settled) };
}

/** `billing_events/{eventId}`, the marker of an event that was applied (docs/specification.md lists its fields). */
export function toMarker(
  uid: Uid,
  { type, at, fact }: Pick<AccountEvent, 'type' | 'at' | 'fact'>,
  now: Millis,
) {
  return {
    type,
    uids: [uid],
    outcome: 'applied',
    ...(fact.kind === 'allowance_paid' && { amount: fact.amountPaid }),
    createdAt: Timestamp.fromMillis(at),
    expireAt: Timestamp.fromMillis(now + MARKER_LASTS),
  };
}

function isNewCustomer(before: Facts, { customer }: AccountEvent): boolean {
  return customer !== null && before.customers[customer] === undefined;
}

/**
 * A number higher than every one taken before it for this user. Taken before the provider is asked, it orders
 * the answers of handlers that ask at the same time: a later token's answer is the newer one.
 */
export async function takeFencingToken(firestore: Firestore, uid: Uid): Promise<number> {
  const ref = paths.facts(firestore, uid);
  return transact(firestore, async (transaction) => {
    const [facts] = await transaction.getAll(ref);
    // Stored under its earlier name.
    const last: unknown = facts?.get('ticket');
    const token = (typeof last === 'number' ? last : 0) + 1;
    transaction.set(ref, { ticket: token }, { mergeFields: ['ticket'] });
    return token;
  });
}

/** `billing_facts/{uid}` without the field `checkout`, which is not this file's to write. */
interface StoredFacts {
  readonly facts: Facts;
  /** Stored as `books`. */
  readonly allocation: SpendAllocation;
}

/** Null: this user has no facts yet, whether or not the document is there for a checkout. */
export function readFacts(snapshot: DocumentSnapshot | undefined): StoredFacts | null {
  const stored = snapshot?.data() as { facts?: Facts; books?: SpendAllocation } | undefined;
  if (stored?.facts === undefined) return null;
  return { facts: { ...NO_FACTS, ...stored.facts }, allocation: { ...NOTHING_SPENT, ...stored.books } };
}

export function toFactsDocument({ facts, allocation }: StoredFacts): DocumentData {
  return { facts, books: allocation, schemaVersion: SCHEMA_VERSION };
}

/** All that is stored of one user, at one moment. */
export interface StoredAccount {
  readonly record: CustomerRecord | null;
  /** Null: no event of this user has come yet. */
  readonly stored: StoredFacts | null;
  /** What the ledger adds up to. */
  readonly ledger: Balances;
  /** The provider's customers of this user, from wherever they are known. */
  readonly customers: readonly string[];
}

/** Reads record, facts and the ledger's sum in one snapshot, so that a consume in between cannot part them. */
export function readStoredAccount(firestore: Firestore, uid: Uid): Promise<StoredAccount> {
  const owned = queries.providerCustomersOf(firestore, uid);
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
