import { type LookupKey, offerOf } from '@extension-billing/contract/catalog';
import { testCatalog } from '@extension-billing/contract/test/catalog';
import type { Stripe } from 'stripe';
import { describe, expect, it } from 'vitest';
import { CatalogProblem } from './client.ts';
import { rememberPrices } from './prices.ts';

function offer(lookupKey: LookupKey) {
  const found = offerOf(testCatalog, lookupKey);
  if (found === undefined) throw new Error(`the catalogue does not sell ${lookupKey}`);
  return found;
}

const MONTHLY = { interval: 'month' };
const packPrice = {
  id: 'price_pack',
  lookup_key: 'credits_pack_small',
  recurring: null,
  metadata: { credits: '250' },
};

/** A provider with these prices, that counts how often it is asked. */
function catalog(...prices: readonly object[]) {
  const asked: unknown[] = [];
  const list = async (params: unknown) => {
    asked.push(params);
    return { data: prices };
  };
  let now = 0;
  const remembered = rememberPrices(
    async () => ({ prices: { list } }) as unknown as Stripe,
    () => now,
  );
  return { remembered, asked, at: (time: number) => (now = time) };
}

describe('a price', () => {
  it('is found by its lookup key, with the credits that the provider’s metadata gives', async () => {
    const { remembered, asked } = catalog(packPrice);
    expect(await remembered.resolve(offer('credits_pack_small'))).toEqual({
      id: 'price_pack',
      credits: 250,
      monthlyCredits: 0,
    });
    expect(asked).toEqual([{ lookup_keys: ['credits_pack_small'], active: true }]);
  });

  it('is asked for once by requests at the same moment and for five minutes, then again', async () => {
    const { remembered, asked, at } = catalog(packPrice);
    await Promise.all([1, 2, 3].map(() => remembered.resolve(offer('credits_pack_small'))));
    at(299_999);
    await remembered.resolve(offer('credits_pack_small'));
    expect(asked).toHaveLength(1);
    at(300_000);
    await remembered.resolve(offer('credits_pack_small'));
    remembered.forget('credits_pack_small');
    await remembered.resolve(offer('credits_pack_small'));
    expect(asked).toHaveLength(3);
  });

  it.each([
    ['is missing', 'credits_pack_small', []],
    ['has another lookup key', 'credits_pack_large', [packPrice]],
    ['of a pack has no credits', 'credits_pack_small', [{ ...packPrice, metadata: {} }]],
    ['of a pack has illegal credits', 'credits_pack_small', [{ ...packPrice, metadata: { credits: '-1' } }]],
    ['of a pack recurs', 'credits_pack_small', [{ ...packPrice, recurring: MONTHLY }]],
    [
      'of the metered plan has no monthly credits',
      'premium_metered_monthly',
      [{ id: 'price_m', lookup_key: 'premium_metered_monthly', recurring: MONTHLY, metadata: {} }],
    ],
    [
      'of a plan is one-time',
      'premium_monthly',
      [{ id: 'price_m', lookup_key: 'premium_monthly', recurring: null, metadata: {} }],
    ],
  ] as const)('that %s is a problem of the catalog, and is not remembered', async (_what, key, prices) => {
    const { remembered, asked } = catalog(...prices);
    await expect(remembered.resolve(offer(key))).rejects.toBeInstanceOf(CatalogProblem);
    await expect(remembered.resolve(offer(key))).rejects.toBeInstanceOf(CatalogProblem);
    expect(asked).toHaveLength(2);
  });
});
