import { type LookupKey, offerOf } from '@extension-billing/contract/catalog';
import { PACK, PLAN, testCatalog } from '@extension-billing/contract/test/catalog';
import type { Stripe } from 'stripe';
import { describe, expect, it } from 'vitest';
import { CatalogProblem } from './client.ts';
import { chargedFor, rememberPrices } from './prices.ts';

function offer(lookupKey: LookupKey) {
  const found = offerOf(testCatalog, lookupKey);
  if (found === undefined) throw new Error(`the catalogue does not sell ${lookupKey}`);
  return found;
}

const MONTHLY = { interval: 'month' };
const packPrice = {
  id: 'price_pack',
  lookup_key: PACK.small,
  product: 'prod_pack',
  recurring: null,
  metadata: { credits: '250' },
  currency: 'usd',
  unit_amount: 500,
  currency_options: { usd: { unit_amount: 500 }, eur: { unit_amount: 450 }, gbp: { unit_amount: null } },
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
      currency: 'usd',
      amounts: { usd: 500, eur: 450 },
      credits: 250,
      monthlyCredits: 0,
    });
    expect(asked).toEqual([
      { lookup_keys: [PACK.small], active: true, expand: ['data.currency_options', 'data.product'] },
    ]);
  });

  it('is asked for once by requests at the same moment and for a minute, then again', async () => {
    const { remembered, asked, at } = catalog(packPrice);
    await Promise.all([1, 2, 3].map(() => remembered.resolve(offer(PACK.small))));
    at(59_999);
    await remembered.resolve(offer(PACK.small));
    expect(asked).toHaveLength(1);
    at(60_000);
    await remembered.resolve(offer(PACK.small));
    remembered.forget(PACK.small);
    await remembered.resolve(offer(PACK.small));
    expect(asked).toHaveLength(3);
  });

  it.each([
    ['is missing', PACK.small, []],
    ['has another lookup key', PACK.large, [packPrice]],
    ['has an archived product', PACK.small, [{ ...packPrice, product: { id: 'prod_1', active: false } }]],
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

describe('the prices of several offers', () => {
  const offers = [offer(PACK.small), offer(PLAN.monthly), offer(PACK.large)];

  it('are one call, which a checkout then needs not repeat; what is missing is null and asked for again', async () => {
    const { remembered, asked } = catalog(packPrice);
    const all = () => remembered.resolveAll(offers);
    expect((await all()).map((price) => price?.id ?? null)).toEqual(['price_pack', null, null]);
    expect(asked).toHaveLength(1);
    await remembered.resolve(offer(PACK.small));
    expect(asked).toHaveLength(1);
    await all();
    expect(asked.at(-1)).toMatchObject({ lookup_keys: [PLAN.monthly, PACK.large] });
  });

  it('are asked for ten at a time: the provider takes no more', async () => {
    const { remembered, asked } = catalog();
    const many = Array.from({ length: 23 }, (_, at) => ({ ...offer(PACK.small), lookupKey: `pack_${at}` }));
    await remembered.resolveAll(many);
    expect(asked.map((params) => (params as Stripe.PriceListParams).lookup_keys?.length)).toEqual([
      10, 10, 3,
    ]);
  });

  it('fail as a whole where the provider does, and are not remembered', async () => {
    let calls = 0;
    const list = async () => {
      calls += 1;
      throw new Error('down');
    };
    const stripe = async () => ({ prices: { list } }) as unknown as Stripe;
    const remembered = rememberPrices(stripe, () => 0);
    await expect(remembered.resolveAll(offers)).rejects.toThrow('down');
    await expect(remembered.resolveAll(offers)).rejects.toThrow('down');
    expect(calls).toBe(2);
  });
});

it('a buyer pays in the first wished currency that the price is sold in, else in its own', () => {
  const price = { currency: 'usd', amounts: { usd: 500, eur: 450, jpy: 80 } };
  expect(chargedFor(price, [null, 'eur'])).toEqual({ currency: 'eur', amount: 450 });
  expect(chargedFor(price, ['jpy', 'eur'])).toEqual({ currency: 'jpy', amount: 80 });
  expect(chargedFor(price, ['chf', 'eur'])).toEqual({ currency: 'eur', amount: 450 });
  expect(chargedFor(price, ['chf', null])).toEqual({ currency: 'usd', amount: 500 });
  expect(chargedFor(price, ['constructor'])).toEqual({ currency: 'usd', amount: 500 });
  expect(chargedFor({ currency: 'usd', amounts: {} }, [])).toBeNull();
});
