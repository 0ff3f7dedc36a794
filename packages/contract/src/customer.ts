/** Milliseconds since the epoch. Firestore holds the same instants as Timestamps. */
export type Millis = number;

/** A feature's cost that a reservation holds until it is confirmed or released, or until it expires. */
export interface CreditHold {
  /** The idempotency key of the reserve. */
  readonly reservation: string;
  readonly feature: string;
  readonly credits: number;
  readonly expiresAt: Millis;
}

/** The subscription that the owner of a lifetime plan still has: it is being ended, or runs out what is paid. */
export interface RunningSubscription {
  /** Lookup key, or null where the price has none. */
  readonly plan: string | null;
  /** The provider's word, as in the record. */
  readonly status: string;
  readonly currentPeriodEnd: Millis | null;
  /** False while it would bill again: its end is asked for, and not confirmed yet. */
  readonly cancelAtPeriodEnd: boolean;
}

/**
 * `customers/{uid}` as code sees it (specification, "Customer record").
 * The credit fields are absent until the account first gets credits: absent means "credits are not in use",
 * which is not the same as a balance of 0.
 */
export interface CustomerRecord {
  readonly paid: boolean;
  /** Lookup key of the plan shown, or null. */
  readonly plan: string | null;
  /** The provider's word (`trialing`, `active`, `past_due`, …), or null. Open-ended: new words may appear. */
  readonly status: string | null;
  readonly cancelAtPeriodEnd: boolean;
  readonly currentPeriodEnd: Millis | null;
  readonly customerId: string | null;
  readonly trialUsed: boolean;
  readonly updatedAt: Millis;
  /**
   * How long `paid` may be believed without another word from the provider, grace included; from then on it counts as
   * false, whatever is stored. Null where nothing bounds it (lifetime) or nothing is paid; absent in records written
   * before there was a bound.
   */
  readonly entitledUntil?: Millis | null;
  /** Always `creditsAllowance + packCreditsRemaining`. */
  readonly creditsRemaining?: number;
  readonly creditsAllowance?: number;
  readonly packCreditsRemaining?: number;
  /** Size of the current allowance when it was granted, for the meter. */
  readonly monthlyCredits?: number;
  /**
   * What is held of the credits above, which say what is owned: available-credits.ts tells what can be spent. May
   * have expired ones, which hold nothing. Absent where nothing is held.
   */
  readonly creditHolds?: readonly CreditHold[];
  /** Only beside a lifetime plan, and only while there is one. */
  readonly runningSubscription?: RunningSubscription;
}
