import type { Millis } from '@extension-billing/contract/customer';

/** `void`: nothing is asked for meanwhile; any other behaviour serves for free, and may ask later. */
export interface CollectionPause {
  /** The provider's word; open-ended. */
  readonly behavior: string;
  /** When it ends by itself; null where somebody has to end it. */
  readonly resumesAt: Millis | null;
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
  /** The collection of its payments is paused; absent in facts from before it was kept. */
  readonly pause?: CollectionPause | null;
  /** The subscription has, or had, a trial. */
  readonly trialed: boolean;
  /** Checkout tagged it as sold by this project: it counts also when its plan has left the pricing file. */
  readonly tagged?: boolean;
}

/** The newest state known of one subscription, and how new it is. */
export interface SubscriptionFact {
  readonly state: SubscriptionState;
  readonly first: boolean;
  /** `created` of the newest event that this state accounts for. */
  readonly at: Millis;
  /** Ticket of the last answer from the provider that was applied; 0 when it was never asked. */
  readonly ticket: number;
  /** The provider was asked out of turn: which events this state accounts for cannot be told by their time. */
  readonly undated?: boolean;
  /** Snapshots merged so far, also those that changed nothing: an answer holds only while none came since. */
  readonly merged?: number;
}
