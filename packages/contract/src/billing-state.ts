import type { CustomerRecord } from './record.ts';
import { isOverdue, isTrial } from './subscription-status.ts';

/**
 * What a record's `plan` says of a lifetime plan. It is also the lookup key that a catalogue must give it: records are
 * read where there is no catalogue.
 */
export const LIFETIME_PLAN = 'premium_lifetime';

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
  if (record.paid && record.plan === LIFETIME_PLAN) return 'lifetime';
  if (isOverdue(record.status)) return 'past_due';
  if (!record.paid) return 'free';
  if (record.cancelAtPeriodEnd) return 'cancel_pending';
  return isTrial(record.status) ? 'trial' : 'active';
}
