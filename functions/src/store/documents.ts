import type { Millis } from '@extension-billing/contract/customer';
import {
  encodeEntry,
  isRefusal,
  type LedgerEntry,
  type RequestEntry,
  readRequestEntry as readEntry,
} from '@extension-billing/contract/ledger';
import { type CustomerRecord, encodeRecord, readRecord } from '@extension-billing/contract/record';
import {
  type CollectionReference,
  type DocumentData,
  type DocumentReference,
  type DocumentSnapshot,
  FieldValue,
  type Firestore,
  Timestamp,
  type Transaction,
} from 'firebase-admin/firestore';

// The documents of Firestore: where each is, who may be in its id, which form it has, and the codec of the record.

/** Where each record lives (design, section 4). */
export const paths = {
  customer: (firestore: Firestore, uid: Uid): DocumentReference => firestore.doc(`customers/${uid}`),
  ledger: (firestore: Firestore, uid: Uid): CollectionReference =>
    firestore.collection(`customers/${uid}/credit_ledger`),
  entry: (firestore: Firestore, uid: Uid, id: string): DocumentReference =>
    firestore.doc(`customers/${uid}/credit_ledger/${id}`),
  facts: (firestore: Firestore, uid: Uid): DocumentReference => firestore.doc(`billing_facts/${uid}`),
  marker: (firestore: Firestore, eventId: string): DocumentReference =>
    firestore.doc(`billing_events/${eventId}`),
  providerCustomer: (firestore: Firestore, customerId: string): DocumentReference =>
    firestore.doc(`provider_customers/${customerId}`),
  /** The one in force is `current`, each version is under its number. */
  /** What this service learned of the account at the provider. */
  account: (firestore: Firestore): DocumentReference => firestore.doc('billing_settings/provider_account'),
  catalog: (firestore: Firestore, id: string): DocumentReference => firestore.doc(`billing_catalog/${id}`),
  /** Who has had free credits, by the hash of what they sign in with (free/identity.ts). No client reads it. */
  freeIdentity: (firestore: Firestore, hash: string): DocumentReference =>
    firestore.doc(`free_identities/${hash}`),
  /** The keys of the owner's backends (services/keys.ts). No client reads it. */
  serviceKey: (firestore: Firestore, id: string): DocumentReference => firestore.doc(`service_keys/${id}`),
  serviceKeys: (firestore: Firestore): CollectionReference => firestore.collection('service_keys'),
  /** Free credits that instances leased on a day in UTC, `2026-11-21` (free/ceiling.ts). */
  freeDay: (firestore: Firestore, day: string): DocumentReference => firestore.doc(`free_days/${day}`),
  /** What was given and taken back by hand, by whom and why (packages/contract/src/audit.ts). No client reads it. */
  audit: (firestore: Firestore, id: string): DocumentReference => firestore.doc(`billing_audit/${id}`),
  /** What an actor has given on a day in UTC (events/grants.ts). */
  grantDay: (firestore: Firestore, id: string): DocumentReference => firestore.doc(`grant_days/${id}`),
  /** How far a scheduled job is, and who is at it (store/jobs.ts). No client reads it. */
  job: (firestore: Firestore, name: string): DocumentReference => firestore.doc(`billing_jobs/${name}`),
  /** What happened on a day in UTC in all accounts together (packages/contract/src/days.ts). No client reads it. */
  day: (firestore: Firestore, day: string): DocumentReference => firestore.doc(`billing_days/${day}`),
} as const;

declare const uidBrand: unique symbol;

/** A Firebase user id that is safe as a Firestore document id. Only `parseUid` makes one. */
export type Uid = string & { readonly [uidBrand]: true };

/** Firebase's own limit. */
const LONGEST = 128;

/** The uid in a value from outside (token, provider metadata), or null where it cannot be one. */
export function parseUid(value: unknown): Uid | null {
  return isDocumentId(value, LONGEST) ? (value as Uid) : null;
}

/**
 * Whether a text from outside can name a document: 1 to `longest` characters, and legal as a Firestore document id
 * (no `/`, not `.` or `..`, not `__…__`, no half of a surrogate pair).
 */
export function isDocumentId(value: unknown, longest: number): value is string {
  if (typeof value !== 'string' || value.length === 0 || value.length > longest) return false;
  if (value.includes('/') || value === '.' || value === '..') return false;
  return !/^__.*__$/s.test(value) && value.isWellFormed();
}

/**
 * The form of `customers/{uid}` and `billing_facts/{uid}` that this build writes, in their field `schemaVersion`; a
 * document without it has form 1. It is raised only where a build of the form before would damage what this one
 * writes: a new field that may be absent is no new form (docs/decisions/firestore.md#schema-version).
 */
export const SCHEMA_VERSION = 1;
/** Of a record with pools, which a build of form 1 would spend as if no period ever ended. */
export const NEWEST_FORM = 2;

/** The form of a record. */
export function formOf({ allowances }: Pick<CustomerRecord, 'allowances'>): number {
  return allowances === undefined ? SCHEMA_VERSION : NEWEST_FORM;
}

/** A document has a form that this build does not know: a newer one wrote it. Nothing is written. */
export class NewerSchema extends Error {
  readonly stored: number;

  constructor(stored: number) {
    super(`a document has form ${stored}, and this build writes ${NEWEST_FORM}`);
    this.name = 'NewerSchema';
    this.stored = stored;
  }
}

/**
 * To be asked before anything is written on top of these documents.
 *
 * @throws NewerSchema where a newer build wrote one of them
 */
export function requireKnownSchema(...snapshots: readonly (DocumentSnapshot | undefined)[]): void {
  const newer = snapshots.map(newerForm).find((form) => form !== null);
  if (newer !== undefined) throw new NewerSchema(newer);
}

/** The form of a document that a newer build wrote; null for any other. */
export function newerForm(snapshot: DocumentSnapshot | undefined): number | null {
  const stored: unknown = snapshot?.get('schemaVersion');
  return typeof stored === 'number' && stored > NEWEST_FORM ? stored : null;
}

/** `customers/{uid}` as the code sees it; null where there is none. */
export function readCustomer(snapshot: DocumentSnapshot | undefined): CustomerRecord | null {
  return readRecord(snapshot?.data());
}

export function toTimestamp(millis: Millis): Timestamp {
  return Timestamp.fromMillis(millis);
}

/**
 * What an event does with a field of the stored record that the new one lacks. `never`: no event writes it. A field that
 * is added to the record has to be placed here.
 */
const WHERE_LACKING: Readonly<Record<keyof CustomerRecord, 'keep' | 'remove' | 'never'>> = {
  paid: 'keep',
  plan: 'keep',
  planKind: 'remove',
  status: 'keep',
  cancelAtPeriodEnd: 'keep',
  currentPeriodEnd: 'keep',
  customerId: 'keep',
  trialUsed: 'keep',
  updatedAt: 'keep',
  entitledUntil: 'keep',
  entitlements: 'remove',
  entitlementsUntil: 'remove',
  creditsRemaining: 'keep',
  creditsAllowance: 'keep',
  packCreditsRemaining: 'keep',
  monthlyCredits: 'keep',
  // What is held is the business of the requests that hold it.
  creditHolds: 'never',
  allowances: 'remove',
  renewal: 'remove',
  plannedChange: 'remove',
  runningSubscription: 'remove',
};

/** The record as an event writes it into what is there: each of its fields, and nothing else. */
export function toCustomerDocument(record: CustomerRecord): DocumentData {
  const document: DocumentData = { ...encodeRecord(record, toTimestamp), schemaVersion: formOf(record) };
  for (const [field, what] of Object.entries(WHERE_LACKING)) {
    if (what === 'never') delete document[field];
    if (what === 'remove' && !(field in document)) document[field] = FieldValue.delete();
  }
  return document;
}

/**
 * Writes fields beside what else a document has, each of them whole: a merge would keep what an earlier one had in a map,
 * such as the bound of an entitlement that nothing bounds any more.
 *
 * @param read the document as this transaction read it. Where it is there, this is an update: `set` with a list of fields
 *   says the same, and the client then looks each value of the document up in that list.
 */
export function setFields(
  transaction: Pick<Transaction, 'set' | 'update'>,
  document: DocumentReference,
  read: Pick<DocumentSnapshot, 'exists'> | undefined,
  fields: DocumentData,
): void {
  if (read?.exists === true) transaction.update(document, fields);
  else transaction.set(document, fields, { mergeFields: Object.keys(fields) });
}

/** The record of an account that has bought nothing, without its credits: a request may be the first that writes it. */
export function toNewCustomer(): DocumentData {
  return {
    ...{ paid: false, plan: null, status: null, cancelAtPeriodEnd: false, currentPeriodEnd: null },
    ...{ customerId: null, trialUsed: false },
  };
}

/** Firestore takes no larger document (https://firebase.google.com/docs/firestore/quotas). */
export const LARGEST_DOCUMENT = 1_048_576;

/**
 * Bytes that a document takes of that limit, by Firestore's own reckoning
 * (https://firebase.google.com/docs/firestore/storage-size).
 */
export function bytesOfDocument(path: string, data: DocumentData): number {
  return 16 + path.split('/').reduce((sum, part) => sum + bytesOf(part), 0) + bytesOfMap(data);
}

function bytesOfMap(map: DocumentData): number {
  return Object.entries(map).reduce((sum, [field, value]) => sum + bytesOf(field) + bytesOf(value), 32);
}

function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 1;
  if (value === null || value === undefined || typeof value === 'boolean') return 1;
  if (typeof value === 'number' || value instanceof Timestamp) return 8;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + bytesOf(item), 0);
  return bytesOfMap(value as DocumentData);
}

// Ledger entries; refusals expire.

/** How long a refusal is replayed at least. After it the same key is decided anew. */
export const REFUSAL_LASTS: Millis = 7 * 24 * 60 * 60 * 1000;

/**
 * A ledger entry as Firestore holds it. Refusals alone say when they may go, by the policy in firestore.indexes.json:
 * what moved credits stays (docs/decisions/credits.md#refusals-are-recorded-for-a-week).
 */
export function toEntryDocument(entry: LedgerEntry): DocumentData {
  return {
    ...encodeEntry(entry, toTimestamp),
    ...(isRefusal(entry) && { expireAt: toTimestamp(entry.createdAt + REFUSAL_LASTS) }),
  };
}

/** The recorded outcome of an earlier request; null where there is none. */
export function readRequestEntry(snapshot: DocumentSnapshot): RequestEntry | null {
  return readEntry(snapshot.id, snapshot.data());
}
