import type { EntitlementSnapshot } from './snapshot.ts';

/** Whether something of this user would be lost with their account: a plan, credits, or the way to their invoices. */
export function holdsPurchases(snapshot: EntitlementSnapshot | null, uid: string): boolean {
  if (snapshot?.uid !== uid) return false;
  return snapshot.paid || snapshot.hasCustomer || snapshot.credits !== null;
}
