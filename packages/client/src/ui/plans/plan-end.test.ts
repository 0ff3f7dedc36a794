import { pricing } from '@extension-billing/contract/pricing';
import { beforeAll, expect, it } from 'vitest';
import { aSnapshot } from '../../../test/factories.ts';
import { useEnglish } from '../../../test/fake-i18n.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { describePlanEnd } from './plan-end.ts';

const NOW = new Date(2026, 10, 21, 12, 0).getTime();
const ENDS = NOW + 20 * 86_400_000;

function endsOf(fields: Partial<EntitlementSnapshot>, kind = 'lifetime'): readonly string[] {
  const offer = pricing.plans.find((plan) => plan.kind === kind);
  if (offer === undefined) throw new Error(`nothing of the kind ${kind} is sold`);
  const snapshot = aSnapshot({ plan: 'premium_monthly', currentPeriodEnd: ENDS, credits: null, ...fields });
  return describePlanEnd(offer, snapshot, NOW);
}

beforeAll(useEnglish);

it('says before a lifetime plan is bought when the one that runs ends, and that nothing renews then', () => {
  const ends = ['Your Premium plan then ends on Dec 11, nothing renews after that.'];
  expect(endsOf({ status: 'active' })).toEqual(ends);
  expect(endsOf({ status: 'active', cancelAtPeriodEnd: true, state: 'cancel_pending' })).toEqual(ends);
});

it('says that a trial costs nothing then, and that a plan whose payment failed ends at once', () => {
  expect(endsOf({ status: 'trialing', state: 'trial' })).toEqual([
    'Your trial then ends on Dec 11 without a charge.',
  ]);
  for (const status of ['past_due', 'unpaid', 'paused']) {
    expect(endsOf({ status })).toEqual(['Your Premium plan then ends at once and is not charged again.']);
  }
});

it('names no day that has passed', () => {
  const currentPeriodEnd = NOW - 86_400_000;
  expect(endsOf({ status: 'trialing', state: 'trial', currentPeriodEnd })).toEqual([
    'Your trial then ends without a charge.',
  ]);
});

it('says that the monthly credits end with their plan', () => {
  expect(endsOf({ status: 'active', plan: 'premium_metered_monthly' })).toContain(
    'Its 1,000 credits a month end with it, packs stay.',
  );
});

it('says nothing where nothing runs, of other offers, and to those who own it', () => {
  expect(endsOf({ status: 'canceled', paid: false, state: 'free' })).toEqual([]);
  expect(endsOf({ status: null, paid: false, state: 'free', plan: null })).toEqual([]);
  expect(endsOf({ status: 'active' }, 'subscription')).toEqual([]);
  expect(endsOf({ status: 'active', plan: 'premium_lifetime', state: 'lifetime' })).toEqual([]);
});
