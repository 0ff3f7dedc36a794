import { PLAN } from '@extension-billing/contract/test/catalog';
import { expect, it } from 'vitest';
import { aRecord, aRecordWithoutCredits } from '../../test/factories.ts';
import { projectRecord, signedOutSnapshot } from './project.ts';

it('shows a user whom the server knows nothing of as free, with credits not in use', () => {
  expect(projectRecord('ada', null, 7)).toMatchObject({
    uid: 'ada',
    paid: false,
    state: 'free',
    credits: null,
    updatedAt: 0,
    mirroredAt: 7,
  });
});

it('carries the record over, with the parts of the balance told apart', () => {
  const record = aRecord({ creditsRemaining: 140, creditsAllowance: 40, packCreditsRemaining: 100 });
  expect(projectRecord('ada', record, 7)).toEqual({
    uid: 'ada',
    paid: true,
    state: 'active',
    plan: PLAN.metered,
    status: 'active',
    cancelAtPeriodEnd: false,
    currentPeriodEnd: 5_000_000,
    trialUsed: false,
    hasCustomer: true,
    credits: { balance: 140, allowance: 40, packCredits: 100, monthlyCredits: 1_000 },
    entitledUntil: null,
    renewal: null,
    plannedChange: null,
    entitlements: [],
    entitlementsUntil: {},
    runningSubscription: null,
    updatedAt: 1_000,
    mirroredAt: 7,
    contactAt: 7,
  });
});

it('tells a balance of 0 from credits that are not in use', () => {
  expect(projectRecord('ada', aRecordWithoutCredits(), 7).credits).toBeNull();
  const empty = aRecordWithoutCredits({ creditsRemaining: 0 });
  expect(projectRecord('ada', empty, 7).credits).toEqual({
    balance: 0,
    allowance: 0,
    packCredits: 0,
    monthlyCredits: 0,
  });
});

it('does not give the provider’s customer id to pages, only that there is one', () => {
  const snapshot = projectRecord('ada', aRecord({ customerId: 'cus_secretish' }), 7);
  expect(snapshot.hasCustomer).toBe(true);
  expect(JSON.stringify(snapshot)).not.toContain('cus_secretish');
});

it('holds nothing of any user when signed out', () => {
  expect(signedOutSnapshot(7)).toMatchObject({ uid: null, paid: false, credits: null, hasCustomer: false });
});

it('shows what can be spent: owned, less what is held and has not expired', () => {
  const hold = { reservation: 'job', feature: 'demo_deep', credits: 5, expiresAt: 2_000 };
  const record = aRecord({
    creditsRemaining: 10,
    creditsAllowance: 3,
    packCreditsRemaining: 7,
    creditHolds: [hold, { ...hold, reservation: 'late', expiresAt: 1_000 }],
  });
  const creditsAt = (now: number) => projectRecord('ada', record, now).credits;
  expect(creditsAt(1_500)).toEqual({
    balance: 5,
    allowance: 0,
    packCredits: 5,
    monthlyCredits: 1_000,
    held: 5,
  });
  expect(creditsAt(2_000)).toEqual({ balance: 10, allowance: 3, packCredits: 7, monthlyCredits: 1_000 });
});
