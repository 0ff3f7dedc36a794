import type { CreditHold, CustomerRecord, RunningSubscription } from '@extension-billing/contract/customer';
import { creditsIn, readCreditFields } from '@extension-billing/contract/read-credits';
import {
  type CollectionReference,
  type DocumentData,
  type DocumentReference,
  type DocumentSnapshot,
  FieldValue,
  type Firestore,
  Timestamp,
} from 'firebase-admin/firestore';

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
 * writes: a new field that may be absent is no new form (docs/decisions/0120-schema-version.md).
 */
export const SCHEMA_VERSION = 1;

/** A document has a form that this build does not know: a newer one wrote it. Nothing is written. */
export class NewerSchema extends Error {
  readonly stored: number;

  constructor(stored: number) {
    super(`a document has form ${stored}, and this build writes ${SCHEMA_VERSION}`);
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
  for (const snapshot of snapshots) {
    const stored: unknown = snapshot?.get('schemaVersion');
    if (typeof stored === 'number' && stored > SCHEMA_VERSION) throw new NewerSchema(stored);
  }
}

/**
 * `customers/{uid}` as the code sees it; null where there is none. A field of another type counts as absent, credits of
 * another type as none left.
 */
export function readCustomer(snapshot: DocumentSnapshot | undefined): CustomerRecord | null {
  const data = snapshot?.data();
  if (data === undefined) return null;
  const monthlyCredits = creditsIn(data.monthlyCredits);
  const creditHolds = holds(data.creditHolds);
  const runningSubscription = running(data.runningSubscription);
  return {
    paid: data.paid === true,
    plan: text(data.plan),
    status: text(data.status),
    cancelAtPeriodEnd: data.cancelAtPeriodEnd === true,
    currentPeriodEnd: millis(data.currentPeriodEnd),
    customerId: text(data.customerId),
    trialUsed: data.trialUsed === true,
    updatedAt: millis(data.updatedAt) ?? 0,
    ...(data.entitledUntil !== undefined && { entitledUntil: millis(data.entitledUntil) }),
    ...readCreditFields(data),
    ...(monthlyCredits !== undefined && { monthlyCredits }),
    ...(creditHolds.length > 0 && { creditHolds }),
    ...(runningSubscription !== null && { runningSubscription }),
  };
}

/**
 * The record as Firestore holds it, to be merged into what is there. What is held is no event's business, so it is left
 * as it is; a subscription that no longer runs is taken away.
 */
export function toCustomerDocument({
  creditHolds: _,
  runningSubscription: running,
  ...record
}: CustomerRecord): DocumentData {
  return {
    ...record,
    schemaVersion: SCHEMA_VERSION,
    currentPeriodEnd: timestamp(record.currentPeriodEnd),
    updatedAt: Timestamp.fromMillis(record.updatedAt),
    ...(record.entitledUntil !== undefined && { entitledUntil: timestamp(record.entitledUntil) }),
    runningSubscription:
      running === undefined
        ? FieldValue.delete()
        : { ...running, currentPeriodEnd: timestamp(running.currentPeriodEnd) },
  };
}

/** A list, since a reservation's key may be no field name (`__a__`). The field goes when nothing is held. */
export function toHoldsField(open: readonly CreditHold[]): DocumentData[] | FieldValue {
  if (open.length === 0) return FieldValue.delete();
  return open.map((hold) => ({ ...hold, expiresAt: Timestamp.fromMillis(hold.expiresAt) }));
}

function holds(value: unknown): readonly CreditHold[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((stored: unknown): CreditHold[] => {
    const hold = (stored ?? {}) as DocumentData;
    const [reservation, feature, held] = [
      text(hold.reservation),
      text(hold.feature),
      creditsIn(hold.credits),
    ];
    const expiresAt = millis(hold.expiresAt);
    if (reservation === null || feature === null || held === undefined || expiresAt === null) return [];
    return [{ reservation, feature, credits: held, expiresAt }];
  });
}

/** Null for what names no status: a page would not know what to say of it. */
function running(value: unknown): RunningSubscription | null {
  const stored = (value ?? {}) as DocumentData;
  const status = text(stored.status);
  if (status === null) return null;
  return {
    plan: text(stored.plan),
    status,
    currentPeriodEnd: millis(stored.currentPeriodEnd),
    cancelAtPeriodEnd: stored.cancelAtPeriodEnd === true,
  };
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function timestamp(instant: number | null): Timestamp | null {
  return instant === null ? null : Timestamp.fromMillis(instant);
}

function millis(value: unknown): number | null {
  return value instanceof Timestamp ? value.toMillis() : null;
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
