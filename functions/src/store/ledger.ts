import type { CreditParts } from '@extension-billing/contract/available-credits';
import type { Millis } from '@extension-billing/contract/customer';
import {
  AggregateField,
  type DocumentData,
  type DocumentSnapshot,
  type Firestore,
  Timestamp,
  type Transaction,
} from 'firebase-admin/firestore';
import { paths, type Uid } from './documents.ts';

/** What every ledger entry says: how the balances moved and what they were after it. */
interface Movement {
  /** Document id under `customers/{uid}/credit_ledger`; one effect has one id. */
  readonly id: string;
  readonly deltaAllowance: number;
  readonly deltaPack: number;
  readonly allowance: number;
  readonly packCredits: number;
  readonly createdAt: Millis;
}

/** What a request of a feature recorded. */
interface FeatureMovement extends Movement {
  readonly feature: string;
  readonly cost: number;
  /** Credits of the balances that reservations held after it; absent where none did. */
  readonly held?: number;
  /** The name of the request that recorded it, as in its log line; absent in entries from before there were any. */
  readonly correlationId?: string;
}

/** The recorded outcome of one consume request: `consume_<idempotency key>`. */
export interface ConsumeEntry extends FeatureMovement {
  readonly kind: 'consume';
  readonly outcome: 'granted' | 'exhausted';
}

/** The recorded outcome of one reserve request: `reserve_<idempotency key>`. It moves nothing. */
export interface ReserveEntry extends FeatureMovement {
  readonly kind: 'reserve';
  readonly outcome: 'granted' | 'exhausted';
  readonly expiresAt: Millis;
}

/**
 * How a reservation ended: `settle_<its key>`, one document for all three ends, so that there is one at most. Only
 * `confirm` moves credits; `expiry` records that a confirm or a release came too late.
 */
export interface SettleEntry extends FeatureMovement {
  readonly kind: 'confirm' | 'release' | 'expiry';
  /** Credits that were held and no longer owned when they were to be taken; absent where all were there. */
  readonly shortfall?: number;
}

export type RequestEntry = ConsumeEntry | ReserveEntry | SettleEntry;

/** A request that was refused for want of credits: its entry moves nothing, and is kept only to be replayed. */
export function isRefusal(entry: LedgerEntry): boolean {
  return 'outcome' in entry && entry.outcome === 'exhausted';
}

/** How long a refusal is replayed at least. After it the same key is decided anew. */
export const REFUSAL_LASTS: Millis = 7 * 24 * 60 * 60 * 1000;

/** A movement that a provider event caused. `reason` is for a person who reads the ledger. */
export interface EventEntry extends Movement {
  readonly kind: 'grant' | 'allowance' | 'drop' | 'clawback' | 'restore' | 'correction' | 'opening';
  readonly eventId: string;
  readonly reason: string;
}

export type LedgerEntry = RequestEntry | EventEntry;

/**
 * The invariant of design section 4: the deltas of the ledger add up to the record.
 * Returns the sum, for the caller to compare.
 */
export function sumOf(entries: Iterable<Pick<LedgerEntry, 'deltaAllowance' | 'deltaPack'>>): CreditParts {
  let allowance = 0;
  let packs = 0;
  for (const entry of entries) {
    allowance += entry.deltaAllowance;
    packs += entry.deltaPack;
  }
  return { allowance, packs };
}

/**
 * A ledger entry as Firestore holds it; its id is the document's. Refusals alone say when they may go, by the policy in
 * firestore.indexes.json: what moved credits stays (docs/decisions/0133-refusals-are-not-kept.md).
 */
export function toEntryDocument(entry: LedgerEntry): DocumentData {
  const { id: _id, createdAt, ...fields } = entry;
  return {
    ...fields,
    ...('expiresAt' in fields && { expiresAt: Timestamp.fromMillis(fields.expiresAt) }),
    ...(isRefusal(entry) && { expireAt: Timestamp.fromMillis(createdAt + REFUSAL_LASTS) }),
    createdAt: Timestamp.fromMillis(createdAt),
  };
}

/** The recorded outcome of an earlier request; null where there is none. */
export function readRequestEntry(snapshot: DocumentSnapshot): RequestEntry | null {
  const data = snapshot.data();
  if (data === undefined) return null;
  const { createdAt, expiresAt, expireAt: _expireAt, ...entry } = data;
  return {
    ...entry,
    id: snapshot.id,
    createdAt: millis(createdAt),
    ...(expiresAt !== undefined && { expiresAt: millis(expiresAt) }),
  } as RequestEntry;
}

function millis(value: unknown): number {
  return value instanceof Timestamp ? value.toMillis() : 0;
}

/**
 * What a user's ledger adds up to. Added up by the database: one read for a thousand entries. Both sums in one query, so
 * of one moment and read once; deployed, that takes the composite index in firestore.indexes.json
 * (docs/decisions/0121-what-is-indexed.md).
 */
export async function sumLedger(
  firestore: Firestore,
  transaction: Transaction,
  uid: Uid,
): Promise<CreditParts> {
  const sums = paths.ledger(firestore, uid).aggregate({
    allowance: AggregateField.sum('deltaAllowance'),
    packs: AggregateField.sum('deltaPack'),
  });
  const { allowance, packs } = (await transaction.get(sums)).data();
  return { allowance: allowance ?? 0, packs: packs ?? 0 };
}
