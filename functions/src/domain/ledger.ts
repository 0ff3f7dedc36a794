import type { CreditParts } from '@extension-billing/contract/available-credits';
import type { Millis } from '@extension-billing/contract/customer';

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
