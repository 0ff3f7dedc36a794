import type { Millis } from '@extension-billing/contract/customer';
import { availableCredits, billingState, heldOf, unexpired } from '@extension-billing/contract/customer';
import type { CustomerRecord, Entitlement } from '@extension-billing/contract/record';
import { isFreePool } from '@extension-billing/contract/schedule';
import type { EntitlementSnapshot, SnapshotCredits } from './snapshot.ts';

/**
 * One user's record as the snapshot that every page reads. `record` is null for a user of whom the server knows
 * nothing of yet: free, with credits not in use. `contactAt`: when the server gave it.
 */
export function projectRecord(
  uid: string,
  record: CustomerRecord | null,
  mirroredAt: Millis,
  contactAt: Millis = mirroredAt,
): EntitlementSnapshot {
  const { paid, plan, planKind: _, status, cancelAtPeriodEnd, currentPeriodEnd, ...more } = record ?? UNKNOWN;
  const { customerId, trialUsed, entitledUntil, renewal, plannedChange, runningSubscription, ...later } =
    more;
  const { entitlements = [], entitlementsUntil = {}, updatedAt, ...credits } = later;
  return {
    uid,
    paid,
    state: billingState(record),
    plan,
    status,
    cancelAtPeriodEnd,
    currentPeriodEnd,
    trialUsed,
    hasCustomer: customerId !== null,
    credits: projectCredits(credits, mirroredAt),
    entitledUntil: entitledUntil ?? null,
    renewal: renewal ?? null,
    plannedChange: plannedChange ?? null,
    entitlements,
    entitlementsUntil,
    runningSubscription: runningSubscription ?? null,
    updatedAt,
    mirroredAt,
    contactAt,
  };
}

/** A user whom the server knows nothing of yet. */
const UNKNOWN: CustomerRecord = {
  paid: false,
  plan: null,
  status: null,
  cancelAtPeriodEnd: false,
  currentPeriodEnd: null,
  customerId: null,
  trialUsed: false,
  updatedAt: 0,
};

/** All that `projectRecord` has not placed by then. */
type CreditFields = Omit<CustomerRecord, keyof Entitlement | 'updatedAt'>;

/**
 * What can be spent at `now`, so without what reservations hold. Absent credit fields mean "not in use", which is not a
 * balance of 0 (contract, CustomerRecord).
 */
function projectCredits(
  {
    creditsRemaining,
    creditsAllowance = 0,
    packCreditsRemaining = 0,
    monthlyCredits = 0,
    creditHolds = [],
    allowances,
    ...unplaced
  }: CreditFields,
  now: Millis,
): SnapshotCredits | null {
  // A field that is added to the record has to be placed in the snapshot, or named here as one that is not shown.
  unplaced satisfies Record<string, never>;
  if (creditsRemaining === undefined) return null;
  const owned = { allowance: creditsAllowance, packs: packCreditsRemaining };
  const { allowance, packs } = availableCredits(owned, creditHolds, now);
  const held = heldOf(creditHolds, now);
  const heldFree = unexpired(creditHolds, now).reduce((sum, { free = 0 }) => sum + free, 0);
  return {
    balance: Math.max(0, creditsRemaining - held),
    allowance,
    packCredits: packs,
    monthlyCredits,
    ...(held > 0 && { held }),
    ...(allowances !== undefined && {
      pools: allowances.map((pool) =>
        heldFree > 0 && isFreePool(pool) ? { ...pool, held: heldFree } : pool,
      ),
    }),
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
    renewal: null,
    plannedChange: null,
    entitlements: [],
    entitlementsUntil: {},
    runningSubscription: null,
    updatedAt: 0,
    mirroredAt,
    contactAt: mirroredAt,
  };
}
