import { availableCredits, heldOf } from '@extension-billing/contract/available-credits';
import { billingState } from '@extension-billing/contract/billing-state';
import type { CustomerRecord, Millis } from '@extension-billing/contract/customer';
import type { EntitlementSnapshot, SnapshotCredits } from './snapshot.ts';

/**
 * One user's record as the snapshot that every page reads. `record` is null for a user whom the server knows
 * nothing of yet: free, with credits not in use. `contactAt`: when the server gave it.
 */
export function projectRecord(
  uid: string,
  record: CustomerRecord | null,
  mirroredAt: Millis,
  contactAt: Millis = mirroredAt,
): EntitlementSnapshot {
  return {
    uid,
    paid: record?.paid ?? false,
    state: billingState(record),
    plan: record?.plan ?? null,
    status: record?.status ?? null,
    cancelAtPeriodEnd: record?.cancelAtPeriodEnd ?? false,
    currentPeriodEnd: record?.currentPeriodEnd ?? null,
    trialUsed: record?.trialUsed ?? false,
    hasCustomer: (record?.customerId ?? null) !== null,
    credits: projectCredits(record, mirroredAt),
    entitledUntil: record?.entitledUntil ?? null,
    runningSubscription: record?.runningSubscription ?? null,
    updatedAt: record?.updatedAt ?? 0,
    mirroredAt,
    contactAt,
  };
}

/**
 * What can be spent at `now`, so without what reservations hold. Absent credit fields mean "not in use", which is not a
 * balance of 0 (contract, CustomerRecord).
 */
function projectCredits(record: CustomerRecord | null, now: Millis): SnapshotCredits | null {
  if (record?.creditsRemaining === undefined) return null;
  const holds = record.creditHolds ?? [];
  const owned = { allowance: record.creditsAllowance ?? 0, packs: record.packCreditsRemaining ?? 0 };
  const { allowance, packs } = availableCredits(owned, holds, now);
  return {
    balance: Math.max(0, record.creditsRemaining - heldOf(holds, now)),
    allowance,
    packCredits: packs,
    monthlyCredits: record.monthlyCredits ?? 0,
  };
}

/** What is shown after an explicit sign-out, and before the first sign-in. Holds nothing of any user. */
export function signedOutSnapshot(mirroredAt: Millis): EntitlementSnapshot {
  return {
    uid: null,
    paid: false,
    state: 'free',
    plan: null,
    status: null,
    cancelAtPeriodEnd: false,
    currentPeriodEnd: null,
    trialUsed: false,
    hasCustomer: false,
    credits: null,
    entitledUntil: null,
    runningSubscription: null,
    updatedAt: 0,
    mirroredAt,
    contactAt: mirroredAt,
  };
}
