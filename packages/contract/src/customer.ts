import type { BillingState } from './billing-states.ts';
import { isOverdue, isTrial } from './subscription-status.ts';
import { creditsIn } from './whole-credits.ts';

export type { BillingState } from './billing-states.ts';

/**
 * What a customer record means: the rules that the service and the extension share, without the schema (record.ts),
 * since pages have no use for that and the published types must not need it.
 */

/** Milliseconds since the epoch. Firestore holds the same instants as Timestamps. */
export type Millis = number;

/** A change of plan that waits for its day. */
export interface PlannedChange {
  /** Lookup key, or null where the price has none. */
  readonly plan: string | null;
  readonly at: Millis;
}

/** The subscription that the owner of a lifetime plan still has: it is being ended, or runs out what is paid. */
export interface RunningSubscription {
  /** Lookup key, or null where the price has none. */
  readonly plan: string | null;
  /** The provider's word, as in the record. */
  readonly status: string;
  readonly currentPeriodEnd: Millis | null;
  /** False while it would bill again: its end is asked for, and not confirmed yet; or it goes on. */
  readonly cancelAtPeriodEnd: boolean;
  /** It entitles to more than the lifetime plan: it is not ended, and renews until its owner cancels it. */
  readonly goesOn?: true;
}

/** What a subscription is billed when its period ends, before tax. */
export interface Renewal {
  /** Minor units of the currency. */
  readonly amount: number;
  /** ISO 4217, lower case. */
  readonly currency: string;
  readonly interval: 'day' | 'week' | 'month' | 'year';
  /** How many of them a period has; absent is 1. */
  readonly count?: number;
}

/** How the plan that a record shows was sold: by the period, or once and for good. */
export type PlanKind = 'subscription' | 'lifetime';

/** Records from before they named the kind called every lifetime plan by this name. */
export const LEGACY_LIFETIME_PLAN = 'premium_lifetime';

/** The kind of the plan that a stored record shows, also of one that names none; undefined where it shows no plan. */
export function planKindOf({ plan, planKind }: Pick<ShownPlan, 'plan' | 'planKind'>): PlanKind | undefined {
  if (planKind !== undefined || plan === null) return planKind;
  return plan === LEGACY_LIFETIME_PLAN ? 'lifetime' : 'subscription';
}

/** What of a record says which plan is shown. */
export interface ShownPlan {
  readonly paid: boolean;
  readonly plan: string | null;
  readonly planKind?: PlanKind;
  readonly status: string | null;
  readonly cancelAtPeriodEnd: boolean;
}

/**
 * The one key that a UI shows for a record (specification, "Billing state keys"; design, section 5):
 * lifetime > past_due (past_due, unpaid) > cancel_pending > trial > active > free.
 */
export function billingState(record: ShownPlan | null): BillingState {
  if (record === null) return 'free';
  if (record.paid && planKindOf(record) === 'lifetime') return 'lifetime';
  if (isOverdue(record.status)) return 'past_due';
  if (!record.paid) return 'free';
  if (record.cancelAtPeriodEnd) return 'cancel_pending';
  return isTrial(record.status) ? 'trial' : 'active';
}

/** Whether a stored record entitles at `now`: what it says holds no longer than it says. */
export function isPaidAt(
  record: { readonly paid: boolean; readonly entitledUntil?: Millis | null } | null,
  now: Millis,
): boolean {
  if (record === null || !record.paid) return false;
  const until = record.entitledUntil ?? null;
  return until === null || now < until;
}

/** What of a record says what its owner may use. */
export interface Rights {
  readonly paid: boolean;
  readonly entitledUntil?: Millis | null;
  /** Names of entitlements, without `paid`: sorted, with all that each includes. */
  readonly entitlements?: readonly string[];
  /** Until when those hold that a bound ends; what is not named holds as long as `paid`. */
  readonly entitlementsUntil?: Readonly<Record<string, Millis>>;
}

/** The entitlement that every plan brings, and no catalogue names. */
export const PAID = 'paid';

/** Whether a record entitles to `name` at `now`; `paid` is any plan. Nothing holds longer than `paid` does. */
export function hasEntitlement(record: Rights | null, name: string, now: Millis): boolean {
  if (record === null || !isPaidAt(record, now)) return false;
  if (name === PAID) return true;
  const { entitlements = [], entitlementsUntil = {} } = record;
  if (!entitlements.includes(name)) return false;
  return !Object.hasOwn(entitlementsUntil, name) || now < (entitlementsUntil[name] ?? 0);
}

/** What of a record stands in its user's custom claims, too. */
export interface ClaimedRights {
  readonly paid: boolean;
  /** Sorted. */
  readonly entitlements: readonly string[];
}

/** What a record says that the claims say after it. */
export function rightsIn(record: Pick<Rights, 'paid' | 'entitlements'> | null): ClaimedRights {
  return { paid: record?.paid ?? false, entitlements: record?.entitlements ?? [] };
}

export function isSameRights(a: ClaimedRights, b: ClaimedRights): boolean {
  return a.paid === b.paid && a.entitlements.join() === b.entitlements.join();
}

/** The balances in a record; none of them where credits are not in use, which is not the same as a balance of 0. */
interface CreditFields {
  readonly creditsRemaining?: number;
  readonly creditsAllowance?: number;
  readonly packCreditsRemaining?: number;
}

/**
 * The balances of a stored record, whoever wrote it. Credits are in use where any of the three fields is there, and one
 * that is no amount of credits counts as 0: a damaged record refuses, it never runs features free.
 */
export function readCreditFields(stored: Readonly<Record<string, unknown>>): CreditFields {
  const allowance = creditsIn(stored.creditsAllowance);
  const packs = creditsIn(stored.packCreditsRemaining);
  const total = creditsIn(stored.creditsRemaining);
  if (allowance === undefined && packs === undefined && total === undefined) return {};
  // A record from elsewhere may lack a part: it is what the other leaves of the whole. One that knows only the whole
  // has packs: nobody granted it for a month, so it does not expire.
  const creditsAllowance = allowance ?? (packs === undefined ? 0 : without(total, packs));
  const packCreditsRemaining = packs ?? without(total, creditsAllowance);
  return {
    creditsRemaining: creditsAllowance + packCreditsRemaining,
    creditsAllowance,
    packCreditsRemaining,
  };
}

function without(total: number | undefined, part: number): number {
  return Math.max(0, (total ?? 0) - part);
}

/** The two parts of a balance, in whole credits. */
export interface CreditParts {
  readonly allowance: number;
  readonly packs: number;
}

/** As much of a hold as says how much is held, and until when. */
interface Held {
  readonly credits: number;
  readonly expiresAt: Millis;
}

/** What `credits` leave of a balance, the allowance first. Never below zero, also where there is less than that. */
export function drawn({ allowance, packs }: CreditParts, credits: number): CreditParts {
  const fromAllowance = Math.min(allowance, credits);
  return { allowance: allowance - fromAllowance, packs: Math.max(0, packs - (credits - fromAllowance)) };
}

/** The holds that hold something at `now`: an expired one is free by the clock alone, whatever is stored. */
export function unexpired<Hold extends Held>(holds: readonly Hold[], now: Millis): readonly Hold[] {
  return holds.filter(({ expiresAt }) => expiresAt > now);
}

/** Credits that are held at `now`. */
export function heldOf(holds: readonly Held[], now: Millis): number {
  return unexpired(holds, now).reduce((sum, { credits }) => sum + credits, 0);
}

/**
 * What can be spent at `now`: what is owned, less what is held. The one answer to it: consume, reserve, the balance
 * route and the extension's snapshot all ask here.
 */
export function availableCredits(owned: CreditParts, holds: readonly Held[], now: Millis): CreditParts {
  return drawn(owned, heldOf(holds, now));
}

/** The balances of an account without credits. */
export const NO_CREDITS: CreditParts = { allowance: 0, packs: 0 };

/** The two balances of a record; null for an account without credits. */
export function balancesOf(record: CreditFields | null): CreditParts | null {
  if (record?.creditsAllowance === undefined && record?.packCreditsRemaining === undefined) return null;
  return { allowance: record.creditsAllowance ?? 0, packs: record.packCreditsRemaining ?? 0 };
}
