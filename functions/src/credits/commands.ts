import type { Catalog, FeaturePrice } from '@extension-billing/contract/catalog';
import type { OwnedCredits } from '@extension-billing/contract/credits';
import type { CreditParts, Millis, Rights } from '@extension-billing/contract/customer';
import type {
  ConsumeEntry,
  PeriodEntry,
  RequestEntry,
  ReserveEntry,
  SettleEntry,
} from '@extension-billing/contract/ledger';
import type { Measured } from '@extension-billing/contract/measured';
import type { CreditHold } from '@extension-billing/contract/record';

// What can be asked of a user's credits, and what can be answered (decide.ts decides it).

/**
 * The two parts of a credit balance. Whole credits, never negative.
 * The spendable balance is their sum; the allowance is replaced every month, pack credits never expire
 * (specification, "Credit balance moves").
 */
export type Balances = CreditParts;

/** What an account owns, and what of it is held by reservations. */
export interface Credits extends OwnedCredits {
  readonly holds: readonly CreditHold[];
}

/** Who asked, for the entry. */
export interface Asked {
  /** The request's id. */
  readonly correlationId?: string;
  /** The service that asks; absent where the user does. */
  readonly by?: string;
}

export interface SpendCommand extends Asked {
  /** Idempotency key, `[A-Za-z0-9_-]{1,128}`; it also names the reservation that a reserve makes. */
  readonly key: string;
  readonly feature: string;
  /** Credits, a positive whole number from the catalogue. */
  readonly cost: number;
  /** The entitlement without which the feature does not run. */
  readonly needs?: string;
}

export interface ConsumeCommand extends SpendCommand {
  readonly kind: 'consume';
}

export interface ReserveCommand extends SpendCommand {
  readonly kind: 'reserve';
  /** How long the credits are held. */
  readonly lifetime: Millis;
  /** The cost is what a service named: under the same key another number is another request. */
  readonly isNamed?: true;
  /** Of a service's hold: what a settle goes by if the catalogue has lost it by then. */
  readonly price?: Pick<FeaturePrice, 'rates' | 'overdraw'>;
  /** The try that asks. A hold that another one made is refused as `key_reused`; without it, every try gets it. */
  readonly attempt?: string;
}

export interface SettleCommand extends Asked {
  readonly kind: 'confirm' | 'release';
  /** The idempotency key of the reserve. */
  readonly reservation: string;
}

/** A service's end of a reservation: it takes what was used. */
export interface MeasuredCommand extends Asked {
  readonly kind: 'settle';
  readonly reservation: string;
  readonly measured: Measured;
  /** As they are in force: the feature of the reservation is found out when it is decided. */
  readonly features: Catalog['features'];
}

/** What ends a reservation. */
export type EndCommand = SettleCommand | MeasuredCommand;

export type CreditCommand = ConsumeCommand | ReserveCommand | EndCommand;

/**
 * - `granted` and `exhausted` carry the ledger entry to record, and the credits after it;
 * - `replayed` carries the entry that an earlier request with the same key recorded, and of a reservation whether it
 *   holds nothing any more;
 * - `key_reused`: that entry is for another feature, a reservation of another length, amount or try, or a service's where a user asks;
 * - `too_many_refusals`: as many were recorded lately as may be; nothing is recorded, and the same key may be tried again;
 * - `plan_required`: the user lacks what the feature needs; nothing is recorded, and the same key may be tried again;
 * - `free_ceiling`: free credits would cover it, and the project has spent those of the day; nothing is recorded;
 * - `free`: an account without credits, nothing to record (specification, "Credit balance moves", rule 3).
 */
export type ConsumeDecision<Entry = ConsumeEntry> =
  | { readonly kind: 'granted' | 'exhausted'; readonly entry: Entry; readonly credits: Credits }
  | { readonly kind: 'replayed'; readonly entry: Entry; readonly hasEnded?: boolean }
  | { readonly kind: 'free' }
  | UnrecordedDecision;

/** Nothing is recorded of a consume or a reserve. */
export type UnrecordedDecision =
  | { readonly kind: 'free_ceiling'; readonly available: Balances }
  | { readonly kind: 'key_reused' | 'too_many_refusals' | 'plan_required' };

/** As for a consume; `too_many`: so many are open already, nothing is recorded, and the same key may be tried again. */
export type ReserveDecision = ConsumeDecision<ReserveEntry> | { readonly kind: 'too_many' };

/**
 * - `settled`: the entry to record, and the credits after it;
 * - `replayed`: how the reservation had ended before, whether or not that is what is asked for now;
 * - `unknown`: nothing was ever held under this name, or a service holds it and a user asks;
 * - `above_hold`: more than `most`, which is what may be taken; nothing is recorded, and what is held stays held;
 * - `unknown_unit`: the feature has no rate for it, as `above_hold`;
 * - `free`: an account without credits, nothing to record.
 */
export type SettleDecision =
  | { readonly kind: 'settled'; readonly entry: SettleEntry; readonly credits: Credits }
  | { readonly kind: 'replayed'; readonly entry: SettleEntry }
  | { readonly kind: 'above_hold'; readonly most: number }
  | { readonly kind: 'unknown_unit'; readonly unit: string }
  | { readonly kind: 'unknown' | 'free' };

export type CreditDecision = ConsumeDecision | ReserveDecision | SettleDecision;

/** What a command of this kind is answered with. */
export type DecisionOf<Command extends CreditCommand> = Command extends ConsumeCommand
  ? ConsumeDecision
  : Command extends ReserveCommand
    ? ReserveDecision
    : SettleDecision;

export interface GroupDecision {
  /** One for each command, in their order. */
  readonly decisions: readonly CreditDecision[];
  /** Ledger entries to create, each once; last what the clock did before, where it did something and there are others. */
  readonly entries: readonly (PeriodEntry | RequestEntry)[];
  /** The credits after the group, without holds that have expired; null for an account without credits. */
  readonly credits: Credits | null;
  /**
   * What it takes of the free credits that the project may spend: of those that a reservation holds, once. Negative if
   * more were released, or have expired, that were held today.
   */
  readonly freeTaken: number;
}

/** What a group may do at most. */
export interface GroupLimits {
  /** What the record entitles to; null, and by default, where there is no record. */
  readonly rights?: Rights | null;
  /** The time by which holds are made and end; `now` by default. */
  readonly holdsAt?: Millis;
  /** How many refusals may still be recorded: each is a ledger entry, and costs its sender nothing. */
  readonly refusals?: number;
  /** How many free credits may be taken (free/ceiling.ts). */
  readonly free?: number;
  /** The catalogue gives this account no free credits: those of its record are left alone, except what is held. */
  readonly isFreeOff?: boolean;
}
