import type { Millis, PlannedChange, Renewal } from '@extension-billing/contract/customer';
import type { AllowanceTerms, ClockTerms } from '@extension-billing/contract/schedule';

/** One-time purchases. A subscription is not one: its money arrives with invoices. */
export type Product = 'pack' | 'lifetime';

/** One thing that a provider event says about a user. Times are the event's `created`, one-second resolution. */
export type Fact =
  | {
      readonly kind: 'subscription_seen';
      readonly subscription: string;
      readonly state: SubscriptionState;
      /** From the event that announces the subscription: every other snapshot is newer. */
      readonly first: boolean;
      readonly at: Millis;
    }
  | {
      readonly kind: 'subscription_asked';
      readonly subscription: string;
      /** The provider's own answer. */
      readonly state: SubscriptionState;
      /** Taken before the provider was asked. */
      readonly ticket: number;
      /** What was known before the question; an event that was applied since calls for a new question. */
      readonly over: SubscriptionFact | null;
      readonly at: Millis;
    }
  | {
      readonly kind: 'purchase_paid';
      /** Payment intent, or the checkout session where nothing was to be paid. */
      readonly purchase: string;
      readonly product: Product;
      readonly credits: number;
      /** Of a pack whose credits end. */
      readonly expiresAfterDays?: number;
      /** Of a lifetime plan with credits. */
      readonly allowance?: AllowanceTerms;
      readonly lookupKey: string | null;
      /** Of a lifetime plan, what was sold with it; absent where its sale did not say. */
      readonly entitlements?: readonly string[];
      readonly at: Millis;
    }
  | {
      readonly kind: 'charge_refunded';
      readonly purchase: string;
      readonly charge: string;
      /** Null where the charge does not say: it counts only for a purchase that is known. */
      readonly product: Product | null;
      /** Minor currency units. */
      readonly amount: number;
      /** All that was refunded so far, in minor currency units. */
      readonly refunded: number;
      readonly at: Millis;
    }
  | {
      readonly kind: 'refund_failed';
      readonly purchase: string;
      readonly refund: string;
      /** Minor currency units that did not go back to the buyer after all. */
      readonly amount: number;
      readonly at: Millis;
    }
  | {
      readonly kind: 'dispute_seen';
      readonly purchase: string;
      readonly dispute: string;
      /** `open` and `lost` act as a refund of what is disputed, `won` restores. */
      readonly outcome: 'open' | 'won' | 'lost';
      /** Minor currency units; null where the provider does not say, which counts as all. */
      readonly disputed: number | null;
      /** What was charged, in minor currency units; null where the provider was not asked for it. */
      readonly amount: number | null;
      readonly at: Millis;
    }
  | {
      /** A dispute on the payment of a subscription's invoice. */
      readonly kind: 'invoice_disputed';
      readonly invoice: string;
      readonly subscription: string;
      readonly dispute: string;
      readonly outcome: 'open' | 'won' | 'lost';
      readonly disputed: number | null;
      readonly amount: number;
      /** What the invoice was paid for, if that was a change of plan within a period. */
      readonly upgrade?: Upgrade;
      readonly at: Millis;
    }
  | {
      readonly kind: 'allowance_paid';
      readonly subscription: string;
      readonly invoice: string;
      /** Start of the service period that the invoice pays for. */
      readonly periodStart: Millis;
      /** Its end; null where the invoice names none. */
      readonly periodEnd: Millis | null;
      /** Minor currency units; 0 for a trial's. */
      readonly amountPaid: number;
      readonly invoiceCreated: Millis;
      /** Not the subscription's first invoice. */
      readonly renews: boolean;
      /** Made by a change of the subscription: it follows the invoice that began the period in the same second. */
      readonly changes?: boolean;
      /** The sale says the credits, not the price alone. Not kept: the comparison trusts it over what was read without it. */
      readonly bySale?: boolean;
      readonly credits: number;
      /** The credits are those of each of the clock's periods; absent where the invoice brings them all. */
      readonly terms?: ClockTerms;
      readonly billed?: Billed;
      readonly at: Millis;
    }
  | {
      /** What a subscription changes to, as the provider said when it was asked. */
      readonly kind: 'plan_asked';
      readonly subscription: string;
      readonly planned: PlannedChange | null;
      /** Taken before the provider was asked; 0 until it was. */
      readonly ticket: number;
      readonly at: Millis;
    }
  | { readonly kind: 'customer_deleted'; readonly at: Millis }
  /** Nothing but that this provider customer belongs to the user. */
  | { readonly kind: 'customer_seen'; readonly at: Millis };

/** A provider event as a fact of ours. */
export interface BillingEvent {
  readonly id: string;
  readonly type: string;
  readonly at: Millis;
  /** The provider's customer id, when the object names one. */
  readonly customer: string | null;
  readonly fact: Fact;
}

/** The provider's clock ticks in seconds and its workers do not tick together: closer events have no order. */
export const UNORDERED_WITHIN: Millis = 2_000;

/** `void`: nothing is asked for meanwhile; any other behaviour serves for free, and may ask later. */
export interface CollectionPause {
  /** The provider's word; open-ended. */
  readonly behavior: string;
  /** When it ends by itself; null where somebody has to end it. */
  readonly resumesAt: Millis | null;
}

/** Whether nothing is ever asked for what is used meanwhile: so nothing of it is paid. */
export function isForgiven({ behavior }: CollectionPause): boolean {
  return behavior === 'void';
}

/** What the record needs of a subscription, as one provider snapshot shows it. */
export interface SubscriptionState {
  /** The provider's word; open-ended. */
  readonly status: string;
  /** A cancellation is pending, whichever way the provider says so. */
  readonly cancel: boolean;
  readonly lookupKey: string | null;
  readonly periodEnd: Millis | null;
  /** Absent in facts from before it was kept. */
  readonly periodStart?: Millis | null;
  /** Where its months, and the periods of its credits, begin; absent in facts from before it was kept. */
  readonly anchor?: Millis | null;
  /** The collection of its payments is paused; absent in facts from before it was kept. */
  readonly pause?: CollectionPause | null;
  /** ISO 4217, lower case; absent in facts from before it was kept. It never changes. */
  readonly currency?: string | null;
  /** What it is billed next; null where that is not known, absent in facts from before it was kept. */
  readonly renewal?: Renewal | null;
  /** The subscription has, or had, a trial. */
  readonly trialed: boolean;
  /**
   * What the price that is billed entitles to, as it was sold or as the price itself says; absent where neither does,
   * and in facts from before it was kept: then the catalogue says.
   */
  readonly entitlements?: readonly string[];
  /** What its plan brings for the running period; absent where that is nothing, and in facts from before it was kept. */
  readonly brings?: PlanCredits;
  /** Checkout tagged it as sold by this project: it counts also when its plan has left the catalogue. */
  readonly tagged?: boolean;
  /** Its plan has quantity 0: it runs, and sells nothing. */
  readonly empty?: true;
}

/** What a subscription is billed for: so many of a price. */
export interface Billed {
  /** Absent where the provider did not say, and in facts from before it was kept. */
  readonly price?: string;
  readonly quantity?: number;
}

/** A change of plan within a period, as the invoice of its proration shows it. */
export interface Upgrade {
  /** When its invoice was made. */
  readonly at: Millis;
  /** The end of the period that it is of. */
  readonly until: Millis;
  /** What the subscription was before, as it was sold or as its price says. */
  readonly before: {
    readonly lookupKey: string | null;
    /** Absent if neither says: then the catalogue does. */
    readonly entitlements?: readonly string[];
    readonly credits: number;
    readonly terms?: ClockTerms;
  };
}

/** The credits that an invoice brings for a whole period of a plan, and that period. */
export interface PlanCredits extends Billed {
  readonly credits: number;
  /** They are those of each of the clock's periods in it. */
  readonly terms?: ClockTerms;
  readonly from: Millis;
  /** Null where the provider names none. */
  readonly until: Millis | null;
}

/** The newest state known of one subscription, and how new it is. */
export interface SubscriptionFact {
  readonly state: SubscriptionState;
  readonly first: boolean;
  /** `created` of the newest event that this state accounts for. */
  readonly at: Millis;
  /** Fencing token of the last answer from the provider that was applied; 0 when it was never asked. */
  readonly ticket: number;
  /** The provider was asked out of turn: their time does not say which events this state accounts for. */
  readonly undated?: boolean;
  /** Snapshots merged so far, also those that changed nothing: an answer holds only while none came since. */
  readonly merged?: number;
}
