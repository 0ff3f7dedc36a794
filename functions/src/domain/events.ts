import type { Millis } from '@extension-billing/contract/customer';
import type { SubscriptionFact, SubscriptionState } from './subscription-fact.ts';

/** One-time purchases. A subscription is not one: its money arrives with invoices. */
export type Product = 'pack' | 'lifetime';

/** One thing that a provider event tells about a user. Times are the event's `created`, one-second resolution. */
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
      readonly lookupKey: string | null;
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
      /** Minor currency units; null where it is not told, which counts as all. */
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
      readonly credits: number;
      readonly at: Millis;
    }
  | { readonly kind: 'customer_deleted'; readonly at: Millis }
  /** Nothing but that this provider customer belongs to the user. */
  | { readonly kind: 'customer_seen'; readonly at: Millis };

/** A provider event in the words of this domain. */
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
