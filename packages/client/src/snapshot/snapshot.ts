import type { BillingState } from '@extension-billing/contract/billing-state';
import type { RunningSubscription } from '@extension-billing/contract/customer';

/** Key in `chrome.storage.local`; written only by the background worker (specification, "Client entitlement snapshot"). */
export const SNAPSHOT_KEY = 'entitlements';

export interface SnapshotCredits {
  readonly balance: number;
  readonly allowance: number;
  readonly packCredits: number;
  /** Size of the current allowance when it was granted; 0 without one. */
  readonly monthlyCredits: number;
}

/**
 * The local copy of one user's record. Nothing secret is in it: content scripts can read storage.local.
 * `null` in storage means that nothing is known yet, which a UI shows as loading, never as "free".
 */
export interface EntitlementSnapshot {
  /** The user whose record this is; null when signed out. */
  readonly uid: string | null;
  readonly paid: boolean;
  readonly state: BillingState;
  readonly plan: string | null;
  readonly status: string | null;
  readonly cancelAtPeriodEnd: boolean;
  /** Milliseconds since the epoch, as all times here. */
  readonly currentPeriodEnd: number | null;
  readonly trialUsed: boolean;
  readonly hasCustomer: boolean;
  /** null: credits are not in use on this account. */
  readonly credits: SnapshotCredits | null;
  /** How long the server lets `paid` be believed, grace included; null: it has set no bound. */
  readonly entitledUntil: number | null;
  /** What of an earlier plan still runs beside a lifetime plan; null: nothing. */
  readonly runningSubscription: RunningSubscription | null;
  /** The record's `updatedAt`; 0 when the user has no record yet. */
  readonly updatedAt: number;
  /** When the worker wrote this copy. */
  readonly mirroredAt: number;
  /** When the server last confirmed the whole record, by this device's clock: see access.ts for what follows. */
  readonly contactAt: number;
  /** Only in what `snapshotAt` gives, never stored: when access ended without a word of the server that it goes on. */
  readonly lapsedAt?: number;
}
