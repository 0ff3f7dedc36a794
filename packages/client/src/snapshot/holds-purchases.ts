import type { CustomerRecord } from '@extension-billing/contract/customer';
import type { EntitlementSnapshot } from './snapshot.ts';

/** Whether something would be lost with an account. `unknown` counts as something wherever it would be gone for good. */
export type Purchases = 'some' | 'none' | 'unknown';

/** By the server's record; null: there is none. What counts is a plan, credits, or the way to invoices. */
export function purchasesIn(record: CustomerRecord | null): Purchases {
  if (record === null) return 'none';
  return record.paid || record.customerId !== null || record.creditsRemaining !== undefined ? 'some' : 'none';
}

/** By the local copy, while the server cannot be asked: it may say that there is something, never that there is nothing. */
export function purchasesInSnapshot(snapshot: EntitlementSnapshot | null, uid: string): Purchases {
  if (snapshot?.uid !== uid) return 'unknown';
  return snapshot.paid || snapshot.hasCustomer || snapshot.credits !== null ? 'some' : 'unknown';
}
