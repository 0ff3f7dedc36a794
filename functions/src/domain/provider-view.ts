import type { Millis } from '@extension-billing/contract/customer';
import type { Fact, Product } from './events.ts';
import type { SubscriptionState } from './subscription-fact.ts';

/** A fact with the provider customer that it hangs on. */
export interface ToldFact {
  readonly customer: string | null;
  readonly fact: Fact;
}

/** All the refunds of one charge, as the provider lists them now. Minor currency units. */
export interface RefundsNow {
  readonly customer: string | null;
  readonly purchase: string;
  readonly charge: string;
  readonly product: Product;
  readonly amount: number;
  /** What is back with the buyer: refunds that failed are not in it. */
  readonly refunded: number;
  /** When the newest refund was made. */
  readonly newestAt: Millis;
  readonly failed: readonly { readonly refund: string; readonly amount: number }[];
}

/** Everything that the provider has of one user at the moment, in the words of this domain. */
export interface ProviderView {
  readonly customers: readonly { readonly id: string; readonly deleted: boolean }[];
  readonly subscriptions: readonly {
    readonly id: string;
    readonly customer: string | null;
    readonly state: SubscriptionState;
  }[];
  /** Purchases that were paid, and their disputes. */
  readonly purchases: readonly ToldFact[];
  readonly refunds: readonly RefundsNow[];
  /** Invoices that were paid, for any period. */
  readonly allowances: readonly ToldFact[];
  /** Disputes on the payments of subscriptions' invoices. */
  readonly disputedInvoices: readonly ToldFact[];
}
