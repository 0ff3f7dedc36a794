import type { EntitlementSnapshot } from './snapshot.ts';

/**
 * Whether something was bought, renewed or cancelled between two snapshots of one user. A balance that only fell is a
 * spend, which can happen while a checkout is open.
 */
export function purchaseArrived(before: EntitlementSnapshot | null, after: EntitlementSnapshot): boolean {
  if (before === null || before.uid !== after.uid) return false;
  return (
    before.plan !== after.plan ||
    before.status !== after.status ||
    before.paid !== after.paid ||
    before.cancelAtPeriodEnd !== after.cancelAtPeriodEnd ||
    before.currentPeriodEnd !== after.currentPeriodEnd ||
    (after.credits?.balance ?? 0) > (before.credits?.balance ?? 0)
  );
}
