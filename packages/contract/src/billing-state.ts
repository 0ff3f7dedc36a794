import type { CustomerRecord } from './customer.ts';
import { isOverdue, isTrial } from './subscription-status.ts';

export const BILLING_STATES = ['free', 'trial', 'active', 'past_due', 'cancel_pending', 'lifetime'] as const;
export type BillingState = (typeof BILLING_STATES)[number];

/**
 * The one key that a UI shows for a record (specification, "Billing state keys"; design, section 5):
 * lifetime > past_due (past_due, unpaid) > cancel_pending > trial > active > free.
 */
export function billingState(
  record: Pick<CustomerRecord, 'paid' | 'plan' | 'status' | 'cancelAtPeriodEnd'> | null,
): BillingState {
  if (record === null) return 'free';
  if (record.paid && record.plan === 'premium_lifetime') return 'lifetime';
  if (isOverdue(record.status)) return 'past_due';
  if (!record.paid) return 'free';
  if (record.cancelAtPeriodEnd) return 'cancel_pending';
  return isTrial(record.status) ? 'trial' : 'active';
}
