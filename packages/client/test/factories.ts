import type { CustomerRecord } from '@extension-billing/contract/record';
import { PLAN } from '@extension-billing/contract/test/catalog';
import { projectRecord } from '../src/snapshot/project.ts';
import type { EntitlementSnapshot } from '../src/snapshot/snapshot.ts';

/** A record on the metered plan with its whole allowance. */
export function aRecord(fields: Partial<CustomerRecord> = {}): CustomerRecord {
  return {
    ...aRecordWithoutCredits({ plan: PLAN.metered }),
    creditsRemaining: 1_000,
    creditsAllowance: 1_000,
    packCreditsRemaining: 0,
    monthlyCredits: 1_000,
    ...fields,
  };
}

/** A record of somebody who never had credits. */
export function aRecordWithoutCredits(fields: Partial<CustomerRecord> = {}): CustomerRecord {
  return {
    paid: true,
    plan: PLAN.monthly,
    status: 'active',
    cancelAtPeriodEnd: false,
    currentPeriodEnd: 5_000_000,
    customerId: 'cus_1',
    trialUsed: false,
    updatedAt: 1_000,
    ...fields,
  };
}

export function aSnapshot(fields: Partial<EntitlementSnapshot> = {}): EntitlementSnapshot {
  return { ...projectRecord('ada', aRecord(), 1_000), ...fields };
}

/** Credits with nothing from a pack. */
export function someCredits(balance: number): NonNullable<EntitlementSnapshot['credits']> {
  return { balance, allowance: balance, packCredits: 0, monthlyCredits: 1_000 };
}
