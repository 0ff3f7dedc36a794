import * as v from 'valibot';
import type { CreditParts, Millis } from './customer.ts';
import { Rates, Receipt } from './receipt.ts';
import { encoderOf, type Holds, Instant, type Output, optional, read, type Same } from './schema.ts';
import type { LedgerKind, UsageEntry } from './usage.ts';

/**
 * `customers/{uid}/credit_ledger/{id}`: everything that moved or held a balance, or was refused (design, section 4).
 * Each says how the balances moved and what they were after it. Entries are written once and never again.
 */

const Credits = v.fallback(v.number(), 0);
const entry = {
  /** The document's id, which is no field of it; one effect has one id. */
  id: v.string(),
  deltaAllowance: Credits,
  deltaPack: Credits,
  allowance: Credits,
  packCredits: Credits,
  createdAt: v.fallback(Instant, 0),
};

/** What a request of a feature recorded. */
const request = {
  ...entry,
  feature: v.fallback(v.string(), ''),
  cost: Credits,
  /** Credits of the balances that reservations held after it; absent where none did. */
  held: optional(v.number()),
  /** Credits of the allowance that a limit kept back after it; absent where none did. */
  limited: optional(v.number()),
  /** The name of the request that recorded it, as in its log line; absent in entries from before there were any. */
  correlationId: optional(v.string()),
  /**
   * The service that asked: `key:` or `account:` and a hash of its id, or `process:<name>`; absent if the user asked.
   * Older entries have the id itself.
   */
  by: optional(v.string()),
};
const OUTCOMES = ['granted', 'exhausted'] as const;
const Outcome = v.fallback(v.picklist(OUTCOMES), 'granted');

/** The recorded outcome of one consume request: `consume_<idempotency key>`. */
const ConsumeEntry = v.object({ ...request, kind: v.literal('consume'), outcome: Outcome });
export type ConsumeEntry = Output<typeof ConsumeEntry>;

/** The recorded outcome of one reserve request: `reserve_<idempotency key>`. It moves nothing. */
const ReserveEntry = v.object({
  ...request,
  kind: v.literal('reserve'),
  outcome: Outcome,
  expiresAt: v.fallback(Instant, 0),
  /** Milliseconds that were asked for; absent if the hold lasts from `createdAt` to `expiresAt`. */
  lifetime: optional(v.number()),
  /** What the catalogue said of a service's hold, for a settle after the catalogue lost it. */
  rates: optional(Rates),
  overdraw: optional(v.number()),
  /** The try that made the hold, if it named itself: no other one gets it. */
  attempt: optional(v.string()),
});
export type ReserveEntry = Output<typeof ReserveEntry>;

/**
 * How a reservation ended: `settle_<its key>`, one document for all three ends, so that there is one at most. Only
 * `confirm` moves credits, by a confirm or a settle: its `cost` is what was to be taken, which a settle measures.
 * `expiry` records that either, or a release, came too late.
 */
const SettleEntry = v.object({
  ...request,
  kind: v.picklist(['confirm', 'release', 'expiry']),
  /** Credits of the cost that could not be taken, since they were not there any more; absent where all were. */
  shortfall: optional(v.number()),
  /** What a backend measured; absent where none did. */
  receipt: optional(Receipt),
});
export type SettleEntry = Output<typeof SettleEntry>;

const RequestEntry = v.variant('kind', [ConsumeEntry, ReserveEntry, SettleEntry]);
export type RequestEntry = ConsumeEntry | ReserveEntry | SettleEntry;

/** A movement that a provider event caused, or somebody by hand. */
const EventEntry = v.object({
  ...entry,
  kind: v.picklist(['grant', 'allowance', 'drop', 'clawback', 'restore', 'correction', 'opening']),
  eventId: v.fallback(v.string(), ''),
  /** For a person who reads the ledger. */
  reason: v.fallback(v.string(), ''),
  /** Somebody gave or took it back without the provider; absent where an event did. */
  byHand: optional(v.literal(true)),
});
export type EventEntry = Output<typeof EventEntry>;

/**
 * What the clock alone changed since the record was last written: periods began, credits ended. `period_<updatedAt>`
 * of the record, in the commit of what was written on top of it.
 */
const PeriodEntry = v.object({
  ...entry,
  kind: v.literal('period'),
  /** Credits that began; what the deltas lack of them has ended. */
  granted: Credits,
});
export type PeriodEntry = Output<typeof PeriodEntry>;

export type LedgerEntry = RequestEntry | EventEntry | PeriodEntry;

/** A request that was refused for want of credits: its entry moves nothing, and is kept only to be replayed. */
export function isRefusal(entry: LedgerEntry): boolean {
  return 'outcome' in entry && entry.outcome === 'exhausted';
}

export type EveryKindHasItsEntry = Holds<Same<LedgerEntry['kind'], LedgerKind>>;

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

/** The recorded outcome of an earlier request; null where the document is no such entry, or there is none. */
export function readRequestEntry(
  id: string,
  data: Readonly<Record<string, unknown>> | undefined,
): RequestEntry | null {
  return data === undefined ? null : read(RequestEntry, { ...data, id });
}

/** A ledger may hold entries from elsewhere, and kinds that a newer service wrote: they are read as far as they go. */
const AnyEntry = v.object({
  ...entry,
  kind: v.pipe(
    v.unknown(),
    v.transform((kind) => kind as LedgerKind),
  ),
  feature: v.fallback(v.nullable(v.string()), null),
  cost: Credits,
  outcome: v.fallback(v.nullable(v.picklist(OUTCOMES)), null),
  granted: Credits,
  byHand: v.fallback(v.boolean(), false),
  receipt: v.fallback(v.nullable(Receipt), null),
});
export type AnyEntry = Output<typeof AnyEntry>;

/** Whatever the ledger holds under an id, with 0 for an amount or an instant that is none. */
export function readEntry(id: string, data: Readonly<Record<string, unknown>>): AnyEntry {
  return v.parse(AnyEntry, { kind: undefined, ...data, id });
}

/** An entry as the user sees it. */
export function readUsageEntry(id: string, data: Readonly<Record<string, unknown>>): UsageEntry {
  const { allowance, packCredits, cost: _, granted: _granted, ...rest } = readEntry(id, data);
  const { byHand: _byHand, receipt, ...shown } = rest;
  return { ...shown, balance: allowance + packCredits, ...(receipt !== null && { receipt }) };
}

export const Entry = v.variant('kind', [ConsumeEntry, ReserveEntry, SettleEntry, EventEntry, PeriodEntry]);
const encode = encoderOf(Entry);

/** An entry of this service; null for one from elsewhere, and for a kind that a newer service wrote. */
export function readLedgerEntry(id: string, data: Readonly<Record<string, unknown>>): LedgerEntry | null {
  return read(Entry, { ...data, id });
}

/** An entry as Firestore holds it. */
export function encodeEntry({ id: _id, ...entry }: LedgerEntry, toStamp: (millis: Millis) => unknown) {
  return encode(entry, toStamp);
}
