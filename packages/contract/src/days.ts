import * as v from 'valibot';
import { BILLING_STATES } from './billing-states.ts';
import { encoderOf, Instant, type Output, optional, read } from './schema.ts';

/**
 * `billing_days/{YYYY-MM-DD}`: what happened on a day (UTC) in all accounts together, added up by the job
 * `summarizeDays`. It names no user.
 */

const Count = v.fallback(v.number(), 0);

/** What is counted for one day (UTC), or for all of them. Whole numbers; credits, where nothing else is said. */
export const Figures = v.object({
  grantedAllowance: Count,
  grantedPacks: Count,
  /** Given by hand, less what was taken back by hand. */
  givenByHand: Count,
  spent: Count,
  /** Taken back with money that went back. */
  clawedBack: Count,
  /** Allowance that was left when a new one replaced it, or when its plan ended. */
  expired: Count,
  /** What no purchase and no spend explains: a refund that failed, an imported account, a correction. May be negative. */
  adjusted: Count,
  /** Credits that reservations put aside. */
  held: Count,
  /** Credits of reservations that were settled too late, and so freed themselves. */
  lapsed: Count,
  /** Spends that were granted. */
  spends: Count,
  /** Spends and reservations that the balance did not cover. */
  refused: Count,
  /** Packs that were paid for. */
  packs: Count,
  lifetimes: Count,
  /** Invoices of subscriptions for which money was paid, from the event markers: only as far back as those are kept. */
  invoices: Count,
  /** Refunds of packs and lifetime plans. */
  refunds: Count,
  disputes: Count,
});
export type Figures = Output<typeof Figures>;
export type Figure = keyof Figures;

export const NOTHING: Figures = v.parse(Figures, {});

/** Credits that a feature spent. A list of them: a feature's name may be no name of a field (`__a__`). */
export const FeatureSpend = v.object({ feature: v.string(), credits: Count });
export type FeatureSpend = Output<typeof FeatureSpend>;

/** What all accounts had when they were looked at. */
export const Standing = v.object({
  customers: Count,
  /** Who is entitled, by plan and state. */
  plans: v.fallback(
    v.array(v.object({ plan: v.string(), state: v.picklist(BILLING_STATES), customers: Count })),
    [],
  ),
  /** Credits that are owned, with what is held. */
  allowance: Count,
  packs: Count,
  /** Of them, what reservations hold. */
  held: Count,
  available: Count,
});
export type Standing = Output<typeof Standing>;

export const NOBODY: Standing = v.parse(Standing, {});

const DaySummary = v.object({
  figures: v.fallback(Figures, NOTHING),
  features: v.fallback(v.array(FeatureSpend), []),
  /**
   * All that happened on it has been counted; what a purchase of that day tells later (a refund's event that was lost)
   * is added still. Absent while it is counted, and in days from before there were summaries, of which only a part is
   * known: these are read from the ledgers.
   */
  closedAt: optional(Instant),
  /** What all accounts had then, which is not when the day ended. */
  standing: optional(Standing),
});
export type DaySummary = Output<typeof DaySummary>;

const EMPTY_DAY: DaySummary = { figures: NOTHING, features: [] };

/** A day's summary; one of which nothing is stored is empty. */
export function readDay(data: Readonly<Record<string, unknown>> | undefined): DaySummary {
  return read(DaySummary, data ?? {}) ?? EMPTY_DAY;
}

/** A summary as Firestore holds it. */
export const encodeDay = encoderOf(DaySummary);
