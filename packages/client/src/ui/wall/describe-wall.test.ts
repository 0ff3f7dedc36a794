import { defineCatalog } from '@extension-billing/contract/define-catalog';
import { beforeAll, expect, it } from 'vitest';
import { aSnapshot, someCredits } from '../../../test/factories.ts';
import { useEnglish } from '../../../test/fake-i18n.ts';
import { providePricing } from '../../given-catalog.ts';
import { describeTopUp, plansWithCredits } from './describe-wall.ts';

const monthly = { kind: 'subscription', interval: 'month', currency: 'usd', trial: false } as const;
const catalog = defineCatalog({
  model: 'hybrid-credits',
  trialDays: 0,
  plans: {
    basic: { ...monthly, amount: 500, name: 'Basic' },
    small: { ...monthly, amount: 900, name: 'Small', credits: { amount: 100, every: 'month' } },
    large: { ...monthly, amount: 1_900, name: 'Large', credits: { amount: 1_000, every: 'month' } },
  },
  packs: {},
  features: { demo: {} },
});
providePricing(catalog);
beforeAll(useEnglish);

const NOW = new Date(2026, 10, 21, 12).getTime();
const on = (plan: string, more: Parameters<typeof aSnapshot>[0] = {}) =>
  aSnapshot({
    ...{
      plan,
      state: 'active',
      status: 'active',
      currentPeriodEnd: NOW + 1,
      contactAt: NOW,
      mirroredAt: NOW,
    },
    credits: { ...someCredits(0), monthlyCredits: 0 },
    ...more,
  });
const offered = (...of: Parameters<typeof on>) =>
  plansWithCredits(on(...of), catalog).map(({ lookupKey }) => lookupKey);

it('offers a subscriber the plans that bring more credits at once, and no others', () => {
  expect(offered('basic')).toEqual(['small', 'large']);
  expect(offered('small')).toEqual(['large']);
  expect(offered('large')).toEqual([]);
  expect(describeTopUp(on('basic'), NOW, catalog).text).toBe('A plan with credits lets you go on.');
});

it('says what to do first if the plan that runs stands in the way of one with credits', () => {
  const first = 'First keep your plan, or pay what is open. Then change.';
  const ending = { state: 'cancel_pending', cancelAtPeriodEnd: true } as const;
  const overdue = { state: 'past_due', status: 'past_due' } as const;
  for (const blocked of [on('basic', ending), on('small', overdue)]) {
    expect(plansWithCredits(blocked, catalog)).toEqual([]);
    expect(describeTopUp(blocked, NOW, catalog).text).toBe(first);
  }
});
