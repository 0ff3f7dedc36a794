import * as v from 'valibot';
import type {
  PlannedChange as PublishedPlannedChange,
  Renewal as PublishedRenewal,
  RunningSubscription as PublishedRunningSubscription,
} from './customer.ts';
import { readCreditFields } from './customer.ts';
import { isPeriod, type Period } from './period.ts';
import type { Pool as PublishedPool } from './schedule.ts';
import { encoderOf, type Holds, Instant, type Output, optional, read, type Same } from './schema.ts';
import { creditsIn } from './whole-credits.ts';

/**
 * `customers/{uid}` (specification, "Customer record"): one definition for who writes it and for who reads it. What is
 * stored may be damaged, from elsewhere, or from a newer service, so a field of another type counts as absent, credits
 * of another type as none left, and fields that are not here are not read.
 */

const Text = v.fallback(v.nullable(v.string()), null);
const Flag = v.fallback(v.boolean(), false);
const InstantOrNull = v.fallback(v.nullable(Instant), null);
/** Whole credits, as `creditsIn` reads an amount. */
const Credits = v.pipe(v.unknown(), v.transform(creditsIn), v.number());

/** A feature's cost that a reservation holds until it is confirmed or released, or until it expires. */
const CreditHold = v.object({
  /** The idempotency key of the reserve. */
  reservation: v.string(),
  /** Empty where none is stored: what is held is held, whatever for. */
  feature: v.fallback(v.string(), ''),
  credits: Credits,
  expiresAt: Instant,
  /** How many of them are free credits, and so counted to the day's ceiling already. Absent: none. */
  free: v.optional(Credits),
  /** When they were held; only beside `free`. Released on the same day (UTC), they return to its ceiling. */
  heldAt: optional(Instant),
  /** A service holds it: its user cannot end it. Absent: the user does. */
  byService: optional(v.literal(true)),
});
export type CreditHold = Output<typeof CreditHold>;

const isHold = <Hold>(hold: Hold | null): hold is Hold => hold !== null;
const CreditHolds = v.pipe(
  v.array(v.fallback(v.nullable(CreditHold), null)),
  v.transform((holds) => holds.filter(isHold)),
  v.minLength(1),
);

const Every = v.custom<Period>(isPeriod);
const SpendLimit = v.object({ amount: Credits, every: Every });

/** Credits that the clock changes (schedule.ts says what they mean). One without its dates is none: it is left out. */
const Pool = v.object({
  source: v.string(),
  kind: v.picklist(['allowance', 'pack']),
  amount: Credits,
  every: v.union([Every, v.literal('once')]),
  anchor: Instant,
  from: Instant,
  until: v.nullable(Instant),
  grace: v.optional(v.number()),
  rollover: v.optional(Credits),
  limits: v.optional(v.array(SpendLimit)),
  left: Credits,
  period: Instant,
  used: v.optional(v.array(v.object({ start: Instant, credits: Credits }))),
});
export type PoolSchemaHolds = Holds<Same<Output<typeof Pool>, PublishedPool>>;

const Pools = v.pipe(
  v.array(v.fallback(v.nullable(Pool), null)),
  // Their optional members are there or absent, never undefined.
  v.transform((pools) => pools.filter((pool) => pool !== null) as readonly PublishedPool[]),
  v.minLength(1),
);

/** What the shown subscription is billed next. One that is not whole says nothing: no page guesses an amount. */
const Renewal = v.object({
  amount: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  currency: v.pipe(v.string(), v.regex(/^[a-z]{3}$/)),
  interval: v.picklist(['day', 'week', 'month', 'year']),
  count: v.exactOptional(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
});
export type RenewalSchemaHolds = Holds<Same<Output<typeof Renewal>, PublishedRenewal>>;

/** The subscription that the owner of a lifetime plan still has: it is being ended, or runs out what is paid. */
const RunningSubscription = v.object({
  /** Lookup key, or null where the price has none. */
  plan: Text,
  /** The provider's word, as in the record. Without one there is nothing that a page could say of it. */
  status: v.string(),
  currentPeriodEnd: InstantOrNull,
  /** False while it would bill again: its end is asked for, and not confirmed yet; or it goes on. */
  cancelAtPeriodEnd: Flag,
  /** It entitles to more than the lifetime plan: it is not ended, and renews until its owner cancels it. */
  goesOn: optional(v.literal(true)),
});
export type RunningSchemaHolds = Holds<
  Same<Output<typeof RunningSubscription>, PublishedRunningSubscription>
>;

/** A change of plan that waits for its day. */
const PlannedChange = v.object({
  /** Lookup key, or null where the price has none. */
  plan: Text,
  at: Instant,
});
export type PlannedSchemaHolds = Holds<Same<Output<typeof PlannedChange>, PublishedPlannedChange>>;

export const CustomerFields = v.object({
  paid: Flag,
  /** Lookup key of the plan shown, as it was bought, or null. */
  plan: Text,
  /**
   * How that plan was sold; absent where there is none, and in records from before it was kept (`planKindOf` says it of
   * those, too).
   */
  planKind: optional(v.picklist(['subscription', 'lifetime'])),
  /** The provider's word (`trialing`, `active`, `past_due`, …), or null. Open-ended: new words may appear. */
  status: Text,
  cancelAtPeriodEnd: Flag,
  currentPeriodEnd: InstantOrNull,
  customerId: Text,
  trialUsed: Flag,
  updatedAt: v.fallback(Instant, 0),
  /**
   * How long `paid` may be believed without another word from the provider, grace included; from then on it counts as
   * false, whatever is stored. Null where nothing bounds it (lifetime) or nothing is paid; absent in records written
   * before there was a bound.
   */
  entitledUntil: optional(v.nullable(Instant)),
  /**
   * What the plans entitle to beside `paid`, by the catalogue's names: sorted, with all that each includes. Absent where
   * they entitle to nothing more.
   */
  entitlements: optional(v.array(v.string())),
  /** As `entitledUntil`, for each of them that a bound ends; the others hold as long as `paid`. */
  entitlementsUntil: optional(v.record(v.string(), Instant)),
  /**
   * Always `creditsAllowance + packCreditsRemaining`. The credit fields are absent until the account first gets credits:
   * absent means "credits are not in use", which is not the same as a balance of 0.
   */
  creditsRemaining: optional(Credits),
  creditsAllowance: optional(Credits),
  packCreditsRemaining: optional(Credits),
  /** Size of the current allowance when it was granted, for the meter. */
  monthlyCredits: optional(Credits),
  /**
   * What is held of the credits above, which say what is owned: `availableOf` (credits.ts) says what can be spent. May have
   * expired ones, which hold nothing. Absent where nothing is held. A list, since a reservation's key may be no name of a
   * field (`__a__`).
   */
  creditHolds: optional(CreditHolds),
  /**
   * Sources of credits that the clock changes. What is left of them is part of the balances above, which are as of the
   * last write: `creditsAt` (credits.ts) says what they are now. Absent where there are none; a record that has any is
   * of form 2.
   */
  allowances: optional(Pools),
  /** What the shown subscription is billed at `currentPeriodEnd`; absent where nothing is, or it is not known. */
  renewal: optional(Renewal),
  /** What the plan shown changes to, and when; absent where it goes on as it is. */
  plannedChange: optional(PlannedChange),
  /** Only beside a lifetime plan, and only while there is one. */
  runningSubscription: optional(RunningSubscription),
});
export type CustomerRecord = Output<typeof CustomerFields>;

/** The part that says what a customer may use, and of which plan; the others say what can be spent, and as of when. */
export type Entitlement = Pick<
  CustomerRecord,
  | 'paid'
  | 'plan'
  | 'planKind'
  | 'status'
  | 'cancelAtPeriodEnd'
  | 'currentPeriodEnd'
  | 'customerId'
  | 'trialUsed'
  | 'entitledUntil'
  | 'renewal'
  | 'plannedChange'
  | 'entitlements'
  | 'entitlementsUntil'
  | 'runningSubscription'
>;

/** The record in a document of whichever Firestore SDK; null where there is no document. */
export function readRecord(data: Readonly<Record<string, unknown>> | undefined): CustomerRecord | null {
  return data === undefined ? null : read(CustomerFields, { ...data, ...readCreditFields(data) });
}

/** Fields of the record as Firestore holds them. */
export const encodeRecord = encoderOf(CustomerFields);
