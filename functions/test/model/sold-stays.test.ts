import type { Catalog } from '@extension-billing/contract/catalog';
import { type CatalogInput, defineCatalog } from '@extension-billing/contract/define-catalog';
import type { Period } from '@extension-billing/contract/period';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { wrong } from './mutate.ts';
import { describeMutants } from './notices.ts';
import { type Look, play } from './play.ts';
import type { Step } from './sold-world.ts';
import * as soldWorld from './sold-world.ts';

const PLANS = ['solo', 'team', 'for_good'] as const;
const BY_PERIOD = ['solo', 'team'] as const;
const PACKS = ['few', 'many'] as const;
const NAMES = ['basic', 'pro', 'team_seats'] as const;

/** Any catalogue of these keys, a key or two of which may be missing: with tiers or without, credits of all kinds. */
const anyCatalog: fc.Arbitrary<Catalog> = fc
  .record({
    tiers: fc.boolean(),
    includes: fc.boolean(),
    sold: fc.subarray([...PLANS, ...PACKS], { minLength: 1 }),
    plans: fc.dictionary(
      fc.constantFrom(...PLANS),
      fc.record({
        grants: fc.subarray([...NAMES]),
        amount: fc.constantFrom(0, 100, 700),
        every: fc.constantFrom<Period>('month', 'week'),
      }),
    ),
    packs: fc.dictionary(fc.constantFrom(...PACKS), fc.constantFrom(10, 50)),
  })
  .map(({ tiers, includes, sold, plans, packs }) => {
    const shared = { amount: 900, currency: 'usd' };
    const planOf = (key: string) => {
      const { grants = [], amount = 0, every = 'month' } = plans[key] ?? {};
      return {
        ...shared,
        ...(key === 'for_good'
          ? { kind: 'lifetime' as const }
          : { kind: 'subscription' as const, interval: 'month' as const }),
        ...(tiers && { grants }),
        ...(amount > 0 && key !== 'for_good' && { credits: { amount, every } }),
      };
    };
    const kept = (keys: readonly string[]) => keys.filter((key) => sold.some((each) => each === key));
    const input: CatalogInput = {
      model: 'hybrid-credits',
      gate: 'metered',
      trialDays: 0,
      ...(tiers && {
        entitlements: { basic: {}, pro: includes ? { includes: ['basic'] } : {}, team_seats: {} },
      }),
      plans: Object.fromEntries(kept(PLANS).map((key) => [key, planOf(key)])),
      packs: Object.fromEntries(kept(PACKS).map((key) => [key, { ...shared, credits: packs[key] ?? 10 }])),
      features: {},
    };
    return defineCatalog(input);
  });

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  anyCatalog.map((push) => ({ push })),
  fc.record({ buy: fc.constantFrom(...PLANS, ...PACKS), late: fc.boolean() }),
  fc.record({ change: fc.constantFrom(...BY_PERIOD) }),
  fc.constantFrom('renewal', 'update', 'look'),
);

/** What each buyer has, after each step, is what was sold to them, whatever is published before and afterwards. */
async function checkSold({ Shop, missing }: typeof soldWorld, look: Look): Promise<string | null> {
  const property = fc.asyncProperty(
    fc.tuple(anyCatalog, fc.array(anyStep, { minLength: 2, maxLength: 14 })),
    async ([first, steps]) => {
      const shop = new Shop(first);
      for (const [index, step] of steps.entries()) {
        await shop.take(step);
        const lack = missing(shop);
        if (lack !== null) throw new Error(`after step ${index}, lacks ${lack}`);
      }
      sold += shop.sales.length;
    },
  );
  return play('sold', property, look, ([, steps]) => steps.map((step) => `  ${nameOf(step)}`));
}

let sold = 0;

function nameOf(step: Step): string {
  return typeof step === 'string' ? step : 'push' in step ? 'push' : JSON.stringify(step);
}

it('whatever is published before and afterwards, each buyer has what was sold to them', async () => {
  const look = {
    histories: Number(process.env.MODEL_HISTORIES ?? 700),
    seed: Number(process.env.MODEL_SEED ?? Date.now() & 0x7fffffff),
  };
  expect((await checkSold(soldWorld, look)) ?? 'all have it').toBe('all have it');
  expect(sold).toBeGreaterThan(100);
});

const KEPT = '../../src/stripe/kept-sale.ts';

describeMutants('the model of what was sold', './sold-world.ts', [{ seed: 3, histories: 700 }], checkSold, [
  ['a change of plan that is not kept', wrong(KEPT, () => ({ isChanged: () => false }))],
  [
    'a change of plan that is kept without how often its credits come',
    wrong(KEPT, ({ saleToKeep }) => ({
      saleToKeep: (...asked) => {
        const kept = saleToKeep(...asked);
        return kept && { ...kept, credits_every: '' };
      },
    })),
  ],
  [
    'what a price says now, in place of what was sold',
    wrong('../../src/stripe/sale.ts', ({ saleOf }) => ({
      saleOf: (...asked) => {
        const sale = saleOf(...asked);
        return { ...sale, said: { ...sale.said, priceId: 'price_of_before' } };
      },
    })),
  ],
]);
