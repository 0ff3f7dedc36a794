import { expect, it } from 'vitest';
import { PLAN } from '../test/catalog.ts';
import { readRecord } from './record.ts';

const at = (millis: number) => ({ toMillis: () => millis });

it('translates the document, with instants as milliseconds', () => {
  const record = readRecord({
    paid: true,
    plan: PLAN.monthly,
    status: 'active',
    cancelAtPeriodEnd: false,
    currentPeriodEnd: at(9_000),
    customerId: 'cus_1',
    trialUsed: true,
    updatedAt: at(1_000),
    creditsRemaining: 5,
    creditsAllowance: 2,
    packCreditsRemaining: 3,
    monthlyCredits: 10,
  });
  expect(record).toEqual({
    paid: true,
    plan: PLAN.monthly,
    status: 'active',
    cancelAtPeriodEnd: false,
    currentPeriodEnd: 9_000,
    customerId: 'cus_1',
    trialUsed: true,
    updatedAt: 1_000,
    creditsRemaining: 5,
    creditsAllowance: 2,
    packCreditsRemaining: 3,
    monthlyCredits: 10,
  });
});

it('translates what is held, and leaves out what is no hold', () => {
  const hold = { reservation: 'job', feature: 'demo', credits: 5, expiresAt: at(9_000) };
  const record = readRecord({ creditHolds: [hold, null, 7, { ...hold, expiresAt: 'soon' }] });
  expect(record?.creditHolds).toEqual([{ ...hold, expiresAt: 9_000 }]);
  expect(readRecord({})).not.toHaveProperty('creditHolds');
});

it('counts a hold that does not say what for: what is held is held', () => {
  const hold = { reservation: 'job', credits: 4, expiresAt: at(9_000) };
  expect(readRecord({ creditsRemaining: 10, creditHolds: [hold] })?.creditHolds).toEqual([
    { ...hold, feature: '', expiresAt: 9_000 },
  ]);
});

it('keeps absent credits absent: they are not in use, which is not a balance of 0', () => {
  expect(readRecord({ paid: true, updatedAt: at(1) })).not.toHaveProperty('creditsRemaining');
});

it('counts a field of another type as absent, and never as paid', () => {
  expect(readRecord({ paid: 'true', plan: 7, currentPeriodEnd: 'soon' })).toEqual({
    paid: false,
    plan: null,
    status: null,
    cancelAtPeriodEnd: false,
    currentPeriodEnd: null,
    customerId: null,
    trialUsed: false,
    updatedAt: 0,
  });
});

it.each([Number.NaN, -5, '5', true])(
  'counts credits of %j as none left: a damaged record runs nothing free',
  (credits) => {
    expect(readRecord({ creditsRemaining: credits })).toMatchObject({
      creditsRemaining: 0,
      creditsAllowance: 0,
      packCreditsRemaining: 0,
    });
  },
);

it('reads a record that a newer service wrote as far as it knows it, and nothing else of it', () => {
  const known = { paid: true, plan: PLAN.monthly, updatedAt: at(7), creditsRemaining: 3 };
  const newer = { ...known, schemaVersion: 9, badges: ['early'], nextAllowanceAt: at(8) };
  expect(readRecord(newer)).toEqual(readRecord(known));
});

it('translates until when each entitlement holds, and takes what is damaged for none', () => {
  const record = readRecord({ entitlements: ['basic', 'pro'], entitlementsUntil: { pro: at(9_000) } });
  expect(record).toMatchObject({ entitlements: ['basic', 'pro'], entitlementsUntil: { pro: 9_000 } });
  for (const other of ['pro', { pro: true }, [1]]) {
    expect(readRecord({ entitlements: other })).not.toHaveProperty('entitlements');
  }
});

it('translates what still runs beside a lifetime plan, and nothing that says no status', () => {
  const running = { plan: PLAN.monthly, status: 'active', cancelAtPeriodEnd: true };
  const record = readRecord({ runningSubscription: { ...running, currentPeriodEnd: at(9_000) } });
  expect(record?.runningSubscription).toEqual({ ...running, currentPeriodEnd: 9_000 });
  for (const other of [undefined, null, 'active', { plan: PLAN.monthly }]) {
    expect(readRecord({ runningSubscription: other })).not.toHaveProperty('runningSubscription');
  }
});
