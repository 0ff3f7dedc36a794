import type { Millis } from '../contract/customer.ts';
import type { Balances } from './balance.ts';

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

/** The recorded outcome of one consume request: `consume_<idempotency key>`. */
export interface ConsumeEntry extends Movement {
  readonly kind: 'consume';
  readonly feature: string;
  readonly cost: number;
  readonly outcome: 'granted' | 'exhausted';
}

/** A movement that a provider event caused. `reason` is for a person who reads the ledger. */
export interface EventEntry extends Movement {
  readonly kind: 'grant' | 'allowance' | 'drop' | 'clawback' | 'restore' | 'correction' | 'opening';
  readonly eventId: string;
  readonly reason: string;
}

export type LedgerEntry = ConsumeEntry | EventEntry;

/**
 * The invariant of design section 4: the deltas of the ledger add up to the record.
 * Returns the sum, for the caller to compare.
 */
export function sumOf(entries: Iterable<Pick<LedgerEntry, 'deltaAllowance' | 'deltaPack'>>): Balances {
  let allowance = 0;
  let packs = 0;
  for (const entry of entries) {
    allowance += entry.deltaAllowance;
    packs += entry.deltaPack;
  }
  return { allowance, packs };
}
