import type { LEGACY_LIFETIME_PLAN } from '@extension-billing/contract/customer';
import type { Currency, PlanName } from './catalog.ts';

/** One subscription at the provider, as it is at one moment. Times in milliseconds. */
export interface SubscriptionTruth {
  readonly id: string;
  readonly customer: string;
  readonly plan: PlanName;
  /** What was bought at checkout: the metadata goes on naming it, whatever the provider switches. */
  readonly bought: PlanName;
  readonly quantity: number;
  readonly addOn: boolean;
  readonly status: string;
  /** `flag`: cancel_at_period_end. `date`: cancel_at, as the portal does under flexible billing. */
  readonly cancel: 'no' | 'flag' | 'date';
  readonly createdAt: number;
  readonly periodStart: number;
  readonly periodEnd: number;
  readonly trialEnd: number | null;
  readonly pause: { readonly behavior: string; readonly resumesAt: number | null } | null;
  /** What it is billed in. */
  readonly currency: Currency;
  /** Half of each bill is let off. */
  readonly discounted: boolean;
  /** What it changes to, at the end of the period under way. */
  readonly schedule: ScheduleTruth | null;
}

export interface ScheduleTruth {
  readonly id: string;
  readonly plan: PlanName;
  readonly quantity: number;
  readonly at: number;
  /** It has changed, and the schedule is there until the period after it ends. */
  readonly isReached: boolean;
}

/** One sale of a pack or a lifetime plan. */
export interface PurchaseTruth {
  /** Payment intent, or checkout session where nothing was to be paid. */
  readonly id: string;
  readonly customer: string;
  readonly kind: 'pack' | 'lifetime';
  readonly lookupKey: string;
  readonly credits: number;
  /** What a lifetime plan entitles to beside `paid`. */
  readonly grants: readonly string[];
  /** Minor currency units; 0 where nothing was to be paid. */
  readonly amount: number;
  readonly paidAt: number;
}

/** What an account had when it came from elsewhere. */
export interface ImportTruth {
  readonly plan: PlanName | typeof LEGACY_LIFETIME_PLAN | null;
  /** What the plan entitles to beside `paid`. */
  readonly grants: readonly string[];
  readonly customer: string;
  readonly currentPeriodEnd: number | null;
  readonly trialUsed: boolean;
  readonly credits: { readonly granted: number; readonly allowance: number; readonly packs: number } | null;
  /** Ids that its ledger has already. */
  readonly ledger: readonly string[];
}

export type DisputeOutcome = 'open' | 'won' | 'lost';

/** One allowance that an invoice paid for. */
export interface GrantTruth {
  readonly subscription: string;
  readonly invoice: string;
  readonly periodStart: number;
  readonly invoiceCreated: number;
  readonly credits: number;
  readonly periodEnd: number | null;
  /** Minor units. */
  readonly paid: number;
  /** The subscription's first: older than any other of the same second. */
  readonly first: boolean;
  /** A change made it: newer than the one of the same second that began the period. */
  readonly changes: boolean;
}

/** A change of plan within a period that was paid for. */
export interface UpgradeTruth {
  readonly subscription: string;
  readonly at: number;
  /** The end of its period. */
  readonly until: number;
  readonly before: { readonly plan: PlanName; readonly quantity: number };
}

/** What one event tells about the customer, in the model's own words: the oracle reads these, never events. */
export type Telling =
  | { readonly tells: 'subscription'; readonly state: SubscriptionTruth }
  | { readonly tells: 'paid'; readonly purchase: PurchaseTruth }
  /** `back`: all of the money that had gone back to the buyer by then, in minor units. */
  | { readonly tells: 'money_back'; readonly purchase: PurchaseTruth; readonly back: number }
  /** `amount` did not reach the buyer after all. */
  | { readonly tells: 'refund_failed'; readonly purchase: PurchaseTruth; readonly amount: number }
  | {
      readonly tells: 'dispute';
      readonly purchase: PurchaseTruth;
      readonly dispute: string;
      readonly outcome: DisputeOutcome;
      /** Minor units that are disputed. */
      readonly disputed: number;
    }
  | {
      readonly tells: 'invoice_dispute';
      readonly invoice: string;
      readonly outcome: DisputeOutcome;
      /** Of the money that was charged. */
      readonly disputed: number;
      readonly amount: number;
      /** Null: it paid for something else. */
      readonly upgrade: UpgradeTruth | null;
    }
  | { readonly tells: 'grant'; readonly grant: GrantTruth; readonly customer: string }
  /** Something happened to a subscription's schedule: how the subscription stands then. */
  | { readonly tells: 'schedule'; readonly state: SubscriptionTruth }
  /** The owner gave something by hand: credits, or rights until then. */
  | {
      readonly tells: 'hand_granted';
      readonly id: string;
      readonly credits: number;
      readonly until: number | null;
      readonly grants: readonly string[];
    }
  | { readonly tells: 'hand_revoked'; readonly id: string }
  | { readonly tells: 'customer_deleted'; readonly customer: string }
  /** The customer exists, nothing more. */
  | { readonly tells: 'customer'; readonly customer: string }
  | { readonly tells: 'nothing' };
