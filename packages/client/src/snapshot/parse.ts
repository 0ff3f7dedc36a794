import { BILLING_STATES, type BillingState } from '@extension-billing/contract/billing-state';
import type { RunningSubscription } from '@extension-billing/contract/customer';
import { creditsIn } from '@extension-billing/contract/read-credits';
import type { EntitlementSnapshot, SnapshotCredits } from './snapshot.ts';

type Stored<T> = Readonly<Partial<Record<keyof T, unknown>>>;

/**
 * A stored value as a snapshot, or null where it is none: another version of the extension may have written it, and the
 * next write of the worker mends it. What decides about access must be there as it should be; what an earlier version
 * did not write yet counts as not known. The fields come in one order, so that equal snapshots are equal as text.
 */
export function parseSnapshot(value: unknown): EntitlementSnapshot | null {
  if (typeof value !== 'object' || value === null) return null;
  const stored: Stored<EntitlementSnapshot> = value;
  const { uid, paid, state, updatedAt } = stored;
  const credits = parseCredits(stored.credits);
  const mirroredAt = isTime(stored.mirroredAt) ? stored.mirroredAt : 0;
  if (uid !== null && typeof uid !== 'string') return null;
  if (typeof paid !== 'boolean' || !isState(state) || !isTime(updatedAt) || credits === undefined)
    return null;
  return {
    uid,
    paid,
    state,
    plan: textOrNull(stored.plan),
    status: textOrNull(stored.status),
    cancelAtPeriodEnd: stored.cancelAtPeriodEnd === true,
    currentPeriodEnd: isTime(stored.currentPeriodEnd) ? stored.currentPeriodEnd : null,
    trialUsed: stored.trialUsed === true,
    hasCustomer: stored.hasCustomer === true,
    credits,
    entitledUntil: isTime(stored.entitledUntil) ? stored.entitledUntil : null,
    runningSubscription: parseRunning(stored.runningSubscription),
    updatedAt,
    mirroredAt,
    contactAt: isTime(stored.contactAt) ? stored.contactAt : mirroredAt,
  };
}

function parseRunning(value: unknown): RunningSubscription | null {
  if (typeof value !== 'object' || value === null) return null;
  const { plan, status, currentPeriodEnd, cancelAtPeriodEnd }: Stored<RunningSubscription> = value;
  if (typeof status !== 'string') return null;
  return {
    plan: textOrNull(plan),
    status,
    currentPeriodEnd: isTime(currentPeriodEnd) ? currentPeriodEnd : null,
    cancelAtPeriodEnd: cancelAtPeriodEnd === true,
  };
}

/** null: not in use; undefined: they cannot be told. */
function parseCredits(value: unknown): SnapshotCredits | null | undefined {
  if (value === null) return null;
  if (typeof value !== 'object') return undefined;
  const { balance, allowance, packCredits, monthlyCredits }: Stored<SnapshotCredits> = value;
  if (typeof balance !== 'number' || typeof allowance !== 'number') return undefined;
  const whole = { balance: creditsIn(balance) ?? 0, allowance: creditsIn(allowance) ?? 0 };
  return {
    ...whole,
    packCredits: creditsIn(packCredits) ?? Math.max(0, whole.balance - whole.allowance),
    monthlyCredits: creditsIn(monthlyCredits) ?? 0,
  };
}

function isState(value: unknown): value is BillingState {
  return BILLING_STATES.some((state) => state === value);
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
