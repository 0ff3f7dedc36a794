import { expect, it } from 'vitest';
import { aRecord, aRecordWithoutCredits, aSnapshot } from '../../test/factories.ts';
import { purchasesIn, purchasesInSnapshot } from './holds-purchases.ts';

it('counts a plan, credits and the way to invoices as what would be lost', () => {
  const nothing = { paid: false, customerId: null, plan: null, status: null };
  expect(purchasesIn(null)).toBe('none');
  expect(purchasesIn(aRecordWithoutCredits(nothing))).toBe('none');
  expect(purchasesIn(aRecordWithoutCredits({ ...nothing, paid: true }))).toBe('some');
  expect(purchasesIn(aRecordWithoutCredits({ ...nothing, customerId: 'cus_1' }))).toBe('some');
  expect(purchasesIn(aRecord({ ...nothing, creditsRemaining: 0 }))).toBe('some');
});

it('takes the local copy’s word that there is something, and never that there is nothing', () => {
  expect(purchasesInSnapshot(aSnapshot(), 'ada')).toBe('some');
  const empty = aSnapshot({ paid: false, hasCustomer: false, credits: null });
  for (const snapshot of [empty, aSnapshot({ uid: 'grace' }), null]) {
    expect(purchasesInSnapshot(snapshot, 'ada')).toBe('unknown');
  }
});
