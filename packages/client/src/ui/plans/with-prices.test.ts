import { PACK, PLAN, testCatalog } from '@extension-billing/contract/test/catalog';
import { expect, it } from 'vitest';
import type { OfferPrice } from '../../messages.ts';
import { withPrices } from './with-prices.ts';

const catalog = {
  ...testCatalog,
  plans: testCatalog.plans.map((plan) =>
    plan.lookupKey === PLAN.monthly ? { ...plan, prices: { eur: 800 } } : plan,
  ),
};

/** What a page shows of a plan: `800 eur`. */
function shown(lookupKey: string, currency: string | null, prices: readonly OfferPrice[] = []): string {
  const plan = withPrices(catalog, currency, prices).plans.find((each) => each.lookupKey === lookupKey);
  return `${plan?.amount} ${plan?.currency}`;
}

it('amounts are the service’s, where it has said them', () => {
  const prices = [{ lookupKey: PLAN.monthly, amount: 1200, currency: 'jpy' }];
  expect(shown(PLAN.monthly, 'eur', prices)).toBe('1200 jpy');
  expect(shown(PLAN.monthly, null, prices)).toBe('1200 jpy');
});

it('credits are those of the provider’s price, which is what a checkout sells', () => {
  const prices = [
    { lookupKey: PLAN.metered, amount: 1900, currency: 'usd', credits: 2_000 },
    { lookupKey: PLAN.monthly, amount: 900, currency: 'usd', credits: null },
    { lookupKey: PACK.small, amount: 500, currency: 'usd', credits: 777 },
    { lookupKey: PACK.large, amount: 2_000, currency: 'usd' },
  ];
  const { plans, packs } = withPrices(catalog, null, prices);
  const planOf = (key: string) => plans.find(({ lookupKey }) => lookupKey === key);
  expect(planOf(PLAN.metered)?.credits).toEqual({ amount: 2_000, every: 'month' });
  expect(planOf(PLAN.monthly)?.credits).toBeNull();
  expect(packs.map(({ credits }) => credits)).toEqual([777, 500]);
});

it('before that they are the catalogue’s in the wished currency, and in its own where it has no other', () => {
  expect(shown(PLAN.monthly, 'eur')).toBe('800 eur');
  expect(shown(PLAN.yearly, 'eur')).toBe('9000 usd');
  expect(shown(PLAN.monthly, 'chf')).toBe('900 usd');
  expect(shown(PLAN.monthly, null)).toBe('900 usd');
});
