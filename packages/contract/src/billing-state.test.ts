import { expect, it } from 'vitest';
import { BILLING_STATES, type BillingState, billingState } from './billing-state.ts';
import type { CustomerRecord } from './record.ts';

type Shown = Pick<CustomerRecord, 'paid' | 'plan' | 'status' | 'cancelAtPeriodEnd'>;

function record(changes: Partial<Shown> = {}): Shown {
  return { paid: true, plan: 'premium_monthly', status: 'active', cancelAtPeriodEnd: false, ...changes };
}

const nothing = record({ paid: false, plan: null, status: null });
const lifetime = record({ plan: 'premium_lifetime' });

it.each<[string, BillingState, Shown | null]>([
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
  ['got the money for a lifetime plan back', 'free', { ...lifetime, paid: false, status: null }],
])('whoever %s is %s', (_who, state, shown) => {
  expect(billingState(shown)).toBe(state);
});

it('has these keys and no other', () => {
  expect(BILLING_STATES).toEqual(['free', 'trial', 'active', 'past_due', 'cancel_pending', 'lifetime']);
});
