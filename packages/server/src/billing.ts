import type { AccountResponse, GrantRequest, GrantResponse } from '@extension-billing/contract/api';
import type { ROUTES } from '@extension-billing/contract/routes';
import type { Fault } from './ask.ts';

// What a backend that charges sees: one interface, over HTTP and in process.

/** What can be spent now: whole credits, without what is held. Null for an account without credits. */
export interface Balances {
  readonly balance: number | null;
  /** The part of the balance that ends with the period. */
  readonly allowance: number | null;
  readonly packCredits: number | null;
  /** When the balances were so, in milliseconds since the epoch. */
  readonly updatedAt: number | null;
}

/** All of an account as it is now; somebody who never bought anything has nothing of it. */
export type Account = AccountResponse;

/**
 * What is given by hand: `credits`, which `expiresInDays` or never; an `entitlement` of the catalogue with `until`, an
 * instant in milliseconds since the epoch. The `reason` is kept in the audit record.
 */
export type Grant = GrantRequest;

/** `grant` is what revokes it; `account` is all that the user has after it. */
export type Granted = GrantResponse;

/** An expected no. Nothing was taken; `detail` says what to do next, in words for a developer. */
export interface Refusal<Code extends string> {
  readonly ok: false;
  readonly reason: Code;
  readonly detail: string;
  /** Of `credits_exhausted` and `free_ceiling_reached`: what was not enough. */
  readonly balance?: number;
  readonly allowance?: number;
  /** Of `plan_required`: what the feature needs; absent where any plan will do. */
  readonly entitlement?: string;
  /** Of `too_many_requests`. */
  readonly retryAfterSeconds?: number;
}

type Spend = 'consumeCredits' | 'reserveCredits';
type Gift = 'grant' | 'revokeGrant';
type End = 'confirmReservation' | 'settleReservation' | 'releaseReservation';
/** What a route may refuse with that is no fault of the caller's or the service's. */
type Refusals<Name extends Spend | End | Gift> =
  | Exclude<(typeof ROUTES)[Name]['refusals'][number], Fault>
  | 'too_many_requests';

export type ConsumeRefusal = Refusal<Refusals<'consumeCredits'>>;
export type HoldRefusal = Refusal<Refusals<'reserveCredits'>>;
export type ConfirmRefusal = Refusal<Refusals<'confirmReservation'>>;
export type SettleRefusal = Refusal<Refusals<'settleReservation'>>;
export type GrantRefusal = Refusal<Refusals<'grant'>>;
export type RevokeRefusal = Refusal<Refusals<'revokeGrant'>>;
export type ReleaseRefusal = Refusal<Refusals<'releaseReservation'>>;

export interface Consumed extends Balances {
  readonly ok: true;
  /** Credits taken; 0 where the account or the feature takes none. */
  readonly cost: number;
  /** An earlier request with the same key had been answered with this. */
  readonly replayed: boolean;
}

/** How a hold ended. */
export interface Ended extends Balances {
  readonly ok: true;
  /** Credits taken. */
  readonly cost: number;
  /** Credits that should have been taken and were no longer there. */
  readonly shortfall: number;
  /** It had ended so before. */
  readonly replayed: boolean;
}

/** Credits that nobody else can spend until the hold is ended, or `expiresAt`. End it once; it is safe to end it again. */
export interface Hold extends Balances {
  readonly ok: true;
  /** Its name: the idempotency key. Another process may end it by `billing.confirm(uid, reservation)`. */
  readonly reservation: string;
  /** Credits held. */
  readonly cost: number;
  /** When it frees itself, in milliseconds since the epoch; null where nothing had to be held. */
  readonly expiresAt: number | null;
  readonly replayed: boolean;
  /** An earlier hold under this key, which has ended since: nothing is held, and no work should begin. */
  readonly hasEnded?: boolean;
  /** Takes what was used of what is held, and lets go the rest: once, whatever is asked later. */
  settle(measured: Measured): Promise<Ended | SettleRefusal>;
  /** Takes all that is held. */
  confirm(): Promise<Ended | ConfirmRefusal>;
  /** Lets go all that is held. */
  release(): Promise<Ended | ReleaseRefusal>;
}

export interface ConsumeOptions {
  /**
   * The idempotency key, 1 to 128 of `A-Za-z0-9_-`: once per key, whatever is repeated. Give one that your own work has
   * (a job's id), so that a repeated job is not charged twice; without one, each call is a new spend.
   */
  readonly key?: string;
}

/** Credits; or units of work, by the names of the feature's `rates`, which say what they cost. */
export type Amount =
  | { readonly amount: number; readonly units?: never }
  | { readonly amount?: never; readonly units: Readonly<Record<string, number>> };

/**
 * What the work took: 0 to what is held, and beyond it as far as the feature's `overdraw` goes. Units count up to 10^12:
 * a larger quantity is settled as that many.
 */
export type Measured = Amount & {
  /** For the receipt that the user sees: a model's name, say. Cut at 120 characters. */
  readonly label?: string;
};

/** Without an amount, the most that the feature may take is held. */
export type HoldOptions = HoldTime & (Amount | { readonly amount?: never; readonly units?: never });

interface HoldTime extends ConsumeOptions {
  /** Longer than the work can take: after that it frees itself and nothing can be taken. 900 without it. */
  readonly expiresInSeconds?: number;
}

/** What the work of `withCredits` returns where it knows what it took. */
export type MeasuredResult<Result> = Measured & { readonly result: Result };

/** The result in what the work returned: measured, or plain. */
type ResultOf<Returned> = Returned extends MeasuredResult<infer Result> ? Result : Returned;

/** What `withCredits` did. */
export type Work<Returned> =
  | {
      readonly ok: true;
      readonly result: ResultOf<Returned>;
      /** False: the work is done, and nothing could be taken. `settled.reason` says why. */
      readonly charged: boolean;
      readonly settled: Ended | ConfirmRefusal;
      /**
       * The work took more than may be taken, or returned no amount that the service takes (a fraction, a unit without a
       * rate): all that was held was taken instead.
       */
      readonly isAboveHold: boolean;
    }
  | HoldRefusal;

/**
 * A refusal is a value with a `reason`. Everything else that goes wrong is a thrown `BillingError`: no answer in time, a
 * key without the scope, a feature that the catalogue does not have.
 */
export interface Billing<Feature extends string = string> {
  /** The uid of a Firebase ID token of your project; null where it is not a valid one: answer 401. */
  verifyUser(idToken: string): Promise<string | null>;
  /** Plan, entitlements and credits, in one request. */
  account(uid: string): Promise<Account>;
  /** What the user is entitled to, by the catalogue's names; `paid` is among them with every plan. */
  entitlements(uid: string): Promise<readonly string[]>;
  /** What the user can spend now; 0 for an account without credits. */
  balance(uid: string): Promise<{ readonly balance: number; readonly allowance: number }>;
  /** Takes what a feature costs. */
  consume(uid: string, feature: Feature, options?: ConsumeOptions): Promise<Consumed | ConsumeRefusal>;
  /** Holds the most that a feature may take. */
  hold(uid: string, feature: Feature, options?: HoldOptions): Promise<Hold | HoldRefusal>;
  /** Takes what was used of a hold, by its name. */
  settle(uid: string, reservation: string, measured: Measured): Promise<Ended | SettleRefusal>;
  /** Takes all of a hold, by its name. */
  confirm(uid: string, reservation: string): Promise<Ended | ConfirmRefusal>;
  /** Lets a hold go, by its name. */
  release(uid: string, reservation: string): Promise<Ended | ReleaseRefusal>;
  /** Gives credits, a complimentary plan, or both, once for each key. Needs the scope `grant`. */
  grant(uid: string, given: Grant, options?: ConsumeOptions): Promise<Granted | GrantRefusal>;
  /** Takes back what is left of a grant. */
  revokeGrant(uid: string, grant: string, reason: string): Promise<Granted | RevokeRefusal>;
  /**
   * Holds, does the work, and takes what it took: the `amount` or `units` beside its `result`, or all that was held where
   * it returns anything else. Lets the hold go when the work throws, and throws what the work threw. The work is not begun
   * unless its credits are held, and once for each key: a key under which another call holds, or held, is refused as
   * `idempotency_key_reused`.
   *
   * @throws BillingError with `reservation` and the work's `result`, where it stays unknown whether they were taken: if
   * they were not, the hold frees itself
   */
  withCredits<Returned>(
    uid: string,
    feature: Feature,
    work: (hold: Hold) => Returned | Promise<Returned>,
    options?: HoldOptions,
  ): Promise<Work<Awaited<Returned>>>;
}
