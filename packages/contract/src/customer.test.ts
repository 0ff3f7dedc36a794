import { expect, it } from 'vitest';
import { PLAN } from '../test/catalog.ts';
import { BILLING_STATES } from './billing-states.ts';
import {
  type BillingState,
  billingState,
  LEGACY_LIFETIME_PLAN,
  readCreditFields,
  type ShownPlan,
} from './customer.ts';

function record(changes: Partial<ShownPlan> = {}): ShownPlan {
  return { paid: true, plan: PLAN.monthly, status: 'active', cancelAtPeriodEnd: false, ...changes };
}

const nothing = record({ paid: false, plan: null, status: null });
const lifetime = record({ plan: PLAN.lifetime, planKind: 'lifetime' });

it.each<[string, BillingState, ShownPlan | null]>([
  ['nobody knows anything of', 'free', null],
  ['bought nothing, or packs alone', 'free', nothing],
  ['had a plan that has ended', 'free', { ...nothing, status: 'canceled' }],
  ['left a first payment open', 'free', { ...nothing, status: 'incomplete' }],
  ['paused the plan', 'free', record({ paid: false, status: 'paused' })],
  ['is in the trial', 'trial', record({ status: 'trialing' })],
  ['pays for a plan', 'active', record()],
  ['owes a payment, with access', 'past_due', record({ status: 'past_due' })],
  ['owes a payment, without access', 'past_due', record({ paid: false, status: 'unpaid' })],
  ['cancelled', 'cancel_pending', record({ cancelAtPeriodEnd: true })],
  ['cancelled in the trial', 'cancel_pending', record({ status: 'trialing', cancelAtPeriodEnd: true })],
  ['cancelled, and owes', 'past_due', record({ status: 'past_due', cancelAtPeriodEnd: true })],
  ['bought for life', 'lifetime', lifetime],
  ['bought for life, and cancelled a plan beside it', 'lifetime', { ...lifetime, cancelAtPeriodEnd: true }],
  [
    'bought for life, under whichever key',
    'lifetime',
    record({ plan: 'gold_for_good', planKind: 'lifetime' }),
  ],
  ['bought for life, nobody knows what', 'lifetime', record({ plan: null, planKind: 'lifetime' })],
  [
    'pays by the month for a plan of the older name',
    'active',
    record({ plan: LEGACY_LIFETIME_PLAN, planKind: 'subscription' }),
  ],
  ['got the money for a lifetime plan back', 'free', { ...lifetime, paid: false, status: null }],
])('whoever %s is %s', (_who, state, shown) => {
  expect(billingState(shown)).toBe(state);
});

it('has these keys and no other', () => {
  expect(BILLING_STATES).toEqual(['free', 'trial', 'active', 'past_due', 'cancel_pending', 'lifetime']);
});

it.each([
  ['all three', { creditsRemaining: 10, creditsAllowance: 3, packCreditsRemaining: 7 }, [10, 3, 7]],
  ['the whole alone', { creditsRemaining: 10 }, [10, 0, 10]],
  ['the whole and its allowance', { creditsRemaining: 10, creditsAllowance: 3 }, [10, 3, 7]],
  ['the whole and its packs', { creditsRemaining: 10, packCreditsRemaining: 3 }, [10, 7, 3]],
  ['the allowance alone', { creditsAllowance: 3 }, [3, 3, 0]],
  ['packs alone', { packCreditsRemaining: 3 }, [3, 0, 3]],
  ['a whole that is less than its part', { creditsRemaining: 2, creditsAllowance: 3 }, [3, 3, 0]],
  [
    'parts that do not make the whole',
    { creditsRemaining: 9, creditsAllowance: 3, packCreditsRemaining: 1 },
    [4, 3, 1],
  ],
  ['what is no amount', { creditsRemaining: 'many', creditsAllowance: -1 }, [0, 0, 0]],
])('a record with %s', (_what, stored, [creditsRemaining, creditsAllowance, packCreditsRemaining]) => {
  expect(readCreditFields(stored)).toEqual({ creditsRemaining, creditsAllowance, packCreditsRemaining });
});

it('a record without any of them has no credits in use', () => {
  expect(readCreditFields({ paid: true })).toEqual({});
});
