import { NO_CREDITS } from '@extension-billing/contract/available-credits';
import type { Millis } from '@extension-billing/contract/customer';
import { type Firestore, Timestamp, type Transaction } from 'firebase-admin/firestore';
import { subscriptionsToEnd } from '../domain/beside-lifetime.ts';
import { type Account, derive } from '../domain/derive.ts';
import type { BillingEvent } from '../domain/events.ts';
import { type Facts, reduce, withSubscription } from '../domain/facts.ts';
import type { EventEntry } from '../domain/ledger.ts';
import { openAccount } from '../domain/open-account.ts';
import { type Answer, mergedIn, settleSubscription } from '../domain/subscription.ts';
import type { Uid } from '../domain/uid.ts';
import { FACT_FIELDS, readFacts, toFactsDocument } from './accounts.ts';
import { isTaken } from './conflict.ts';
import { readCustomer, toCustomerDocument } from './customers.ts';
import { bytesOfDocument } from './document-size.ts';
import { toEntryDocument } from './ledger-entries.ts';
import { paths } from './paths.ts';
import { requireKnownSchema } from './schema-version.ts';
import { sumLedger } from './sum-ledger.ts';
import { inTurn } from './take-turns.ts';
import { transact } from './transact.ts';

/** Markers outlive the provider's retries (3 days) and its manual resends (30 days). */
const MARKER_LASTS: Millis = 45 * 24 * 60 * 60 * 1000;

/** `toEnd`: subscriptions that would charge the owner of a lifetime plan again; null for those who own none. */
export type Committed =
  | {
      readonly kind: 'applied';
      readonly paidChanged: boolean;
      readonly toEnd: readonly string[] | null;
      /** What is known of the user weighs this much of what one document may. */
      readonly factsBytes: number;
    }
  | { readonly kind: 'duplicate'; readonly toEnd: readonly string[] | null }
  /** Two snapshots cannot be ordered: ask the provider, then commit again with its answer. Nothing is written. */
  | { readonly kind: 'undecidable'; readonly subscription: string; readonly over: number }
  /** A refund that names no product, of a purchase that is not known: not ours, as far as can be told. */
  | { readonly kind: 'unrelated' }
  /** The answer settles nothing: let the provider deliver again. Nothing is written. */
  | { readonly kind: 'retry' };

/**
 * Applies one provider event to one user in one transaction: event marker, facts, record and ledger entry are
 * written together or not at all (design, section 5). One batched read and one commit.
 *
 * @throws NewerSchema where a newer build wrote this user's documents
 * @param answer what the provider said of the subscription, when an earlier call was undecidable
 */
export function commitEvent(
  firestore: Firestore,
  uid: Uid,
  event: BillingEvent,
  now: Millis,
  answer: Answer | null = null,
): Promise<Committed> {
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
      const toEnd = known === null ? null : subscriptionsToEnd(known.facts);
      // The marker of this very delivery's earlier attempt: what that one changed is not known any more.
      const isOwn = hasDerived && mayBeWritten;
      return isOwn
        ? { kind: 'applied', paidChanged: true, toEnd, factsBytes: 0 }
        : { kind: 'duplicate', toEnd };
    }
    const record = readCustomer(customer);
    // Only an imported record may have a ledger before its facts: others start at nothing.
    const ledger =
      known === null && record !== null ? await sumLedger(firestore, transaction, uid) : NO_CREDITS;
    const opened =
      known === null
        ? openAccount(record, ledger, event.id, now)
        : { account: { ...known, record }, entry: null };
    if (!isRelated(event, opened.account.facts)) return { kind: 'unrelated' };
    const merged = merge(opened.account, event, answer, now);
    if (merged.kind !== 'merged') return merged;

    hasDerived = true;
    const derived = derive(opened.account, merged.facts, event, now);
    const wanted = [opened.entry, derived.entry].filter((entry) => entry !== null);
    const entries = areTaken ? await withFreeIds(firestore, transaction, uid, wanted) : wanted;
    transaction.create(marker, toMarker(uid, event, now));
    const factsDocument = toFactsDocument({ facts: merged.facts, books: derived.books });
    transaction.set(factsRef, factsDocument, { mergeFields: [...FACT_FIELDS] });
    // Merged: fields that an owner of the project added to the record are not ours to drop.
    transaction.set(customerRef, toCustomerDocument(derived.record), { merge: true });
    // `create` fails where the entry exists: what is booked stays as it was.
    for (const entry of entries) {
      transaction.create(paths.entry(firestore, uid, entry.id), toEntryDocument(entry));
    }
    if (isNewCustomer(opened.account.facts, event)) {
      transaction.set(paths.providerCustomer(firestore, String(event.customer)), { uid }, { merge: true });
    }
    // A record from elsewhere came without its claim.
    const isImport = known === null && record !== null;
    const paidChanged = isImport || (record?.paid ?? false) !== derived.record.paid;
    const factsBytes = bytesOfDocument(factsRef.path, factsDocument);
    return { kind: 'applied', paidChanged, toEnd: subscriptionsToEnd(merged.facts), factsBytes };
  };
  const attempt = (areTaken: boolean) =>
    transact(firestore, (transaction, mayBeWritten) => apply(transaction, mayBeWritten, areTaken));
  return inTurn(firestore, uid, async () => {
    try {
      return await attempt(false);
    } catch (error) {
      // A ledger from elsewhere may have the id of an entry. That keeps nobody's plan from starting or ending.
      if (!isTaken(error)) throw error;
      return await attempt(true);
    }
  });
}

/** The entries under ids that the ledger does not have yet: the event's id, and a number, tell them apart. */
async function withFreeIds(
  firestore: Firestore,
  transaction: Transaction,
  uid: Uid,
  entries: readonly EventEntry[],
): Promise<readonly EventEntry[]> {
  const free: EventEntry[] = [];
  for (const entry of entries) {
    let id = entry.id;
    for (let tries = 1; (await transaction.get(paths.entry(firestore, uid, id))).exists; tries += 1) {
      id = `${entry.id}_${entry.eventId}${tries === 1 ? '' : `_${tries}`}`;
    }
    free.push({ ...entry, id });
  }
  return free;
}

function isRelated({ fact }: BillingEvent, { purchases }: Facts): boolean {
  return fact.kind !== 'charge_refunded' || fact.product !== null || purchases[fact.purchase] !== undefined;
}

type Merged =
  | { readonly kind: 'merged'; readonly facts: Facts }
  | Extract<Committed, { kind: 'undecidable' | 'retry' }>;

function merge(account: Account, event: BillingEvent, answer: Answer | null, now: Millis): Merged {
  const reduced = reduce(account.facts, event.fact, event.customer);
  if (reduced.kind === 'reduced') return { kind: 'merged', facts: reduced.facts };
  const { fact } = event;
  const known = account.facts.subscriptions[reduced.subscription];
  const undecidable = { ...reduced, over: mergedIn(known) };
  if (answer === null || fact.kind !== 'subscription_seen' || known === undefined) return undecidable;
  const settled = settleSubscription(known, fact, answer, now);
  if (settled === 'outdated') return undecidable;
  if (settled === 'retry') return { kind: 'retry' };
  return { kind: 'merged', facts: withSubscription(account.facts, fact.subscription, settled) };
}

function toMarker(uid: Uid, event: BillingEvent, now: Millis) {
  return {
    type: event.type,
    uids: [uid],
    outcome: 'applied',
    createdAt: Timestamp.fromMillis(event.at),
    expireAt: Timestamp.fromMillis(now + MARKER_LASTS),
  };
}

function isNewCustomer(before: Facts, { customer }: BillingEvent): boolean {
  return customer !== null && before.customers[customer] === undefined;
}
