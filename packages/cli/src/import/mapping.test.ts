import { PACK, PLAN, testCatalog } from '@extension-billing/contract/test/catalog';
import { expect, it } from 'vitest';
import { costName, GIVEN, mapPrice, type SourcePrice } from './mapping.ts';

const price = (over: Partial<SourcePrice> = {}): SourcePrice => ({
  names: ['price_1', 'prod_1'],
  ...{ interval: 'month', count: 1, currency: 'usd', amount: 900 },
  ...over,
});
const map = (over: Partial<SourcePrice>, ...chosen: readonly (readonly [string, string])[]) => {
  const mapped = mapPrice(price(over), testCatalog, new Map(chosen));
  return mapped.kind === 'offer' ? mapped.offer.lookupKey : mapped.kind;
};

it('takes the offer that costs the same as often', () => {
  expect(map({})).toBe(PLAN.monthly);
  expect(map({ interval: 'year', amount: 9000 })).toBe(PLAN.yearly);
  expect(map({ interval: 'once', amount: 19900 })).toBe(PLAN.lifetime);
});

it('guesses nothing: not from an amount alone, not where two offers cost the same, and never a pack', () => {
  expect(map({ amount: 901 })).toBe('unmapped');
  expect(map({ currency: 'eur' })).toBe('unmapped');
  expect(map({ count: 3 })).toBe('unmapped');
  expect(map({ interval: 'once', amount: 500 })).toBe('unmapped');
  const twins = { ...testCatalog, plans: testCatalog.plans.map((plan) => ({ ...plan, amount: 900 })) };
  expect(mapPrice(price(), twins, new Map())).toMatchObject({ why: expect.stringContaining('several') });
});

it('goes by what the owner says, under any of the price’s names', () => {
  expect(map({ amount: 1 }, ['prod_1', PLAN.metered])).toBe(PLAN.metered);
  expect(map({}, ['price_1', 'nothing'])).toBe('nothing');
  expect(map({ interval: 'once', amount: 500 }, ['price_1', PACK.small])).toBe(PACK.small);
});

it('refuses a plan that such a price cannot be, and a key that there is not, and says what to write', () => {
  const said = (key: string) => mapPrice(price(), testCatalog, new Map([['price_1', key]]));
  expect(said(PLAN.lifetime)).toMatchObject({ why: expect.stringContaining('is a lifetime') });
  expect(said('gold')).toMatchObject({ why: expect.stringContaining('the catalogue has no gold') });
  expect(said('gold')).toMatchObject({ why: expect.stringContaining('--map price_1=<lookup key>') });
});

it('lets a right that was given be any plan, and no pack', () => {
  const given = { names: ['free'], interval: GIVEN, amount: null, currency: null };
  expect(map(given)).toBe('unmapped');
  expect(map(given, ['free', PLAN.monthly])).toBe(PLAN.monthly);
  expect(map(given, ['free', PACK.small])).toBe('unmapped');
});

it('names a price without an id by what it costs', () => {
  expect(costName({ interval: 'month', count: 3, currency: 'eur', amount: 1000 })).toBe('1000eur/3month');
  expect(costName({ interval: 'once', count: 1, currency: 'usd', amount: 1999 })).toBe('1999usd/once');
});
