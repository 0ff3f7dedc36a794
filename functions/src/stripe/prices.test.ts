import { type LookupKey, offerOf } from '@extension-billing/contract/catalog';
import { PACK, PLAN, testCatalog } from '@extension-billing/contract/test/catalog';
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
  lookup_key: PACK.small,
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
    expect(await remembered.resolve(offer(PACK.small))).toEqual({
      id: 'price_pack',
      credits: 250,
      monthlyCredits: 0,
    });
    expect(asked).toEqual([{ lookup_keys: [PACK.small], active: true }]);
  });

  it('is asked for once by requests at the same moment and for five minutes, then again', async () => {
    const { remembered, asked, at } = catalog(packPrice);
    await Promise.all([1, 2, 3].map(() => remembered.resolve(offer(PACK.small))));
    at(299_999);
    await remembered.resolve(offer(PACK.small));
    expect(asked).toHaveLength(1);
    at(300_000);
    await remembered.resolve(offer(PACK.small));
    remembered.forget(PACK.small);
    await remembered.resolve(offer(PACK.small));
    expect(asked).toHaveLength(3);
  });

  it.each([
    ['is missing', PACK.small, []],
    ['has another lookup key', PACK.large, [packPrice]],
    ['of a pack has no credits', PACK.small, [{ ...packPrice, metadata: {} }]],
    ['of a pack has illegal credits', PACK.small, [{ ...packPrice, metadata: { credits: '-1' } }]],
    ['of a pack recurs', PACK.small, [{ ...packPrice, recurring: MONTHLY }]],
    [
      'of the metered plan has no monthly credits',
      PLAN.metered,
      [{ id: 'price_m', lookup_key: PLAN.metered, recurring: MONTHLY, metadata: {} }],
    ],
    [
      'of a plan is one-time',
      PLAN.monthly,
      [{ id: 'price_m', lookup_key: PLAN.monthly, recurring: null, metadata: {} }],
    ],
  ] as const)('that %s is a problem of the catalog, and is not remembered', async (_what, key, prices) => {
    const { remembered, asked } = catalog(...prices);
    await expect(remembered.resolve(offer(key))).rejects.toBeInstanceOf(CatalogProblem);
    await expect(remembered.resolve(offer(key))).rejects.toBeInstanceOf(CatalogProblem);
    expect(asked).toHaveLength(2);
  });
});
