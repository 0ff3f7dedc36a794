import type { Millis } from '@extension-billing/contract/customer';
import { hasBegun, isOver, isStalled } from '@extension-billing/contract/subscription-status';
import { isSold } from './is-sold.ts';

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

/** A subscription that ended never comes back; the provider makes a new one instead. */
export function isTerminal(state: SubscriptionState): boolean {
  return isOver(state.status);
}

/** Whether its first payment, or its trial, ever let a subscription begin. */
export function hasRun(state: SubscriptionState): boolean {
  return hasBegun(state.status);
}

/** How a subscription is ended beside a lifetime plan. */
export type Ending =
  /** What is paid, or free as a trial, runs out; nothing is charged after it. */
  | 'at_period_end'
  /** Nothing that is paid would be lost, and an invoice that is still open would be charged. */
  | 'now';

/**
 * How a subscription of a lifetime plan's owner has to be ended, or null where it ends by itself
 * (docs/decisions/0110-lifetime-ends-the-subscription.md). What this project does not sell is not its to end.
 */
export function endingOf(state: SubscriptionState): Ending | null {
  if (!isSold(state)) return null;
  const { status, cancel } = state;
  if (isOver(status)) return null;
  if (isStalled(status)) return 'now';
  // A status that is not known yet ends with its period, like an active one.
  return cancel ? null : 'at_period_end';
}
