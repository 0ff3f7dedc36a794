import { describe, expect, expectTypeOf, it } from 'vitest';
import shipped from '../../../billing.config.ts';
import { PACK, testCatalog, testInput } from '../test/catalog.ts';
import { type Catalog, isPlanKey, offerOf, offersOf, productName } from './catalog.ts';
import { CatalogError, type CatalogInput, defineCatalog } from './define-catalog.ts';
import { costOf, gateOf } from './features.ts';

type Draft = { [key: string]: unknown } & Record<'plans' | 'packs' | 'features', Record<string, object>>;
const draft = () => structuredClone(testInput) as unknown as Draft;

/** What is said of the tests' catalogue with something else in it. */
function problemsOf(change: (catalog: Draft) => void): readonly string[] {
  const changed = draft();
  change(changed);
  try {
    defineCatalog(changed as unknown as CatalogInput);
  } catch (error) {
    if (error instanceof CatalogError) return error.problems;
    throw error;
  }
  return [];
}
const [monthly = '', , , forGood = ''] = Object.keys(testInput.plans);
const [small = '', large = ''] = Object.keys(testInput.packs);
const withPlan = (key: string, change: object) => (catalog: Draft) =>
  Object.assign(catalog.plans[key] ?? {}, change);
const withPack = (key: string, change: object) => (catalog: Draft) =>
  Object.assign(catalog.packs[key] ?? {}, change);
const withTop = (change: object) => (catalog: Draft) => Object.assign(catalog, change);
const ID = 'abcdefghijklmnopabcdefghijklmnop';

describe('a mistake in the catalogue is named with its place, and what to write instead', () => {
  it.each<[string, (catalog: Draft) => void, string | readonly string[]]>([
    [
      'an amount in dollars',
      withPlan(monthly, { amount: 9.5 }),
      `plans.${monthly}.amount must be a whole number of minor currency units (1900 for $19.00), not 9.5`,
    ],
    [
      'a currency in capitals',
      withPack(large, { currency: 'USD' }),
      `packs.${large}.currency must be a currency of three lower-case letters, like "usd", not "USD"`,
    ],
    [
      'a misspelt field',
      withPlan(monthly, { hasTrial: true }),
      `plans.${monthly}.hasTrial is not a field of a catalogue: take it out, or correct its spelling`,
    ],
    [
      'a field left out',
      (catalog) => delete (catalog.packs[small] as { credits?: number }).credits,
      `packs.${small}.credits is missing`,
    ],
    [
      'more entitlements than a sale can name',
      (catalog) => {
        const names = Array.from({ length: 20 }, (_, index) => `entitlement_of_a_long_name_number_${index}`);
        withTop({ entitlements: Object.fromEntries(names.map((name) => [name, {}])) })(catalog);
        withPlan(monthly, { grants: names })(catalog);
      },
      `plans.${monthly}.grants are, with all that they include, more than 500 characters, which is what the provider keeps of a sale: shorten the names`,
    ],
    [
      'a lifetime by the month',
      withPlan(forGood, { interval: 'month' }),
      `plans.${forGood} has an interval that does not fit its kind: a subscription has "month" or "year", a lifetime plan none`,
    ],
    [
      'a lifetime on trial',
      withPlan(forGood, { trial: true }),
      `plans.${forGood} is a lifetime plan with a trial: only a subscription has one, take it out`,
    ],
    [
      'a period that there is not',
      withPlan(monthly, { credits: { amount: 5, every: '0h' } }),
      `plans.${monthly}.credits.every must be "month", "week", "day" or a number of hours like "5h", not "0h"`,
    ],
    [
      'a free feature behind the meter',
      withTop({ features: { chat: { cost: 0 } } }),
      'features.chat.cost must be a whole number of credits from 1, not 0',
    ],
    [
      'a gate that there is not',
      withTop({ gate: 'open' }),
      'gate must be "metered", "paywall" or "none", not "open"',
    ],
    [
      'one key twice',
      (catalog) => Object.assign(catalog.packs, { [monthly]: catalog.packs[small] }),
      `packs.${monthly} has the lookup key of a plan: each offer needs one of its own`,
    ],
    [
      'an entitlement that there is not',
      withPlan(monthly, { grants: ['pro'] }),
      `plans.${monthly}.grants names the entitlement "pro", which there is not: add it to "entitlements"`,
    ],
    [
      'a feature that needs one',
      withTop({ features: { chat: { needs: 'pro' } } }),
      'features.chat.needs names the entitlement "pro", which there is not: add it to "entitlements"',
    ],
    [
      'the name that every plan has',
      withTop({ entitlements: { paid: {} } }),
      'entitlements.paid must not be "paid": any paying plan has that one by itself',
    ],
    [
      'an entitlement in a circle',
      withTop({ entitlements: { pro: { includes: ['basic'] }, basic: {}, odd: { includes: ['odd'] } } }),
      'entitlements.odd includes itself, by way of odd: take one of them out',
    ],
    [
      'a hold and a cost',
      withTop({ features: { chat: { hold: 5, cost: 1 } } }),
      'features.chat has a cost and a hold: a call costs a fixed number, or a backend settles what it used of a hold; keep one',
    ],
    [
      'a hold that nobody settles',
      withTop({ features: { chat: { hold: 5, gate: 'paywall' } } }),
      `features.chat has a hold behind the gate "paywall", where no backend settles credits: write gate: 'metered', or take the hold out`,
    ],
    [
      'an overdraw of nothing',
      withTop({ features: { chat: { cost: 5, overdraw: 2 } } }),
      'features.chat has an overdraw and no hold that it could go beyond: add hold: …, the most credits that a call may take, or take it out',
    ],
    [
      'rates that nothing bounds',
      withTop({ features: { chat: { rates: { input: { credits: 1, per: 1_000 } } } } }),
      'features.chat has rates and no hold: add hold: …, the most credits that a call may take, or take the rates out',
    ],
    [
      'a rate for no units',
      withTop({ features: { chat: { hold: 5, rates: { input: { credits: 1, per: 0 } } } } }),
      'features.chat.rates.input.per must be a whole number of units from 1, not 0',
    ],
    [
      'a part of a credit',
      withTop({ features: { chat: { hold: 5, rates: { input: { credits: 0.5, per: 1 } } } } }),
      'features.chat.rates.input.credits must be a whole number of credits from 0, not 0.5',
    ],
    [
      'a unit without a name',
      withTop({ features: { chat: { hold: 5, rates: { 'in put': { credits: 1, per: 1 } } } } }),
      'features.chat.rates.in put must be named by a unit of 1 to 40 letters, digits, "_" or "-", a letter first, not "in put"',
    ],
    [
      'more units than a receipt holds',
      withTop({
        features: {
          chat: {
            hold: 5,
            rates: Object.fromEntries(
              Array.from({ length: 11 }, (_, index) => [`unit${index}`, { credits: 1, per: 1 }]),
            ),
          },
        },
      }),
      'features.chat.rates has more than 10 units, which is what a receipt has room for: put some together',
    ],
    [
      'more for guests',
      withTop({ free: { credits: 5, every: 'month', guests: 6 } }),
      'free gives guests more than people who signed in: anybody can be as many guests as they like',
    ],
    [
      'guests with an address',
      withTop({ free: { credits: 5, every: 'once', guests: 1, verifiedEmail: true } }),
      'free is for verified e-mail addresses and gives guests some: a guest has no address, leave "guests" out',
    ],
    [
      'an extension that sells nothing known',
      withTop({ apps: { [ID]: { sells: ['gold'] } } }),
      `apps.${ID}.sells names "gold", which is neither a plan nor a pack`,
    ],
    [
      'an extension without an id',
      withTop({ apps: { mine: {} } }),
      'apps.mine must be named by an extension id, such as 32 letters a to p, not "mine"',
    ],
    [
      'a name that the provider cannot read',
      (catalog) =>
        Object.assign(catalog.packs, {
          drops: { amount: 1, currency: 'eur', credits: 1, name: '__MSG_drops__' },
        }),
      "packs.drops.name is a text of the extension, which the provider cannot look up: add product: { name: '…' } for its pages and receipts",
    ],
    [
      'a subscription where only packs are sold',
      (catalog) => {
        withTop({ model: 'credits-only' })(catalog);
        catalog.plans = { [monthly]: catalog.plans[monthly] ?? {} };
      },
      `plans.${monthly} is a plan, and the model "credits-only" sells packs only: write model: 'hybrid-credits', or take the plan out`,
    ],
    [
      'a lifetime plan where only packs are sold',
      (catalog) => {
        withTop({ model: 'credits-only' })(catalog);
        catalog.plans = { [forGood]: catalog.plans[forGood] ?? {} };
      },
      `plans.${forGood} is a plan, and the model "credits-only" sells packs only: write model: 'hybrid-credits', or take the plan out`,
    ],
    [
      'an amount that Stripe refuses',
      withPack(small, { currency: 'kwd', amount: 2905, prices: { isk: 1234, usd: 501 } }),
      [
        `packs.${small}.amount is 2905 kwd, which the provider refuses: write a multiple of 10, such as 2910`,
        `packs.${small}.prices.isk is 1234 isk, which the provider refuses: write a multiple of 100, such as 1300`,
      ],
    ],
    [
      'a price said twice',
      withPack(small, { prices: { usd: 400 } }),
      `packs.${small}.prices.usd says again what "amount" says: take it out`,
    ],
  ])('%s', (_, change, problem) => {
    expect(problemsOf(change)).toEqual([problem].flat());
  });

  it('names every offer that a currency has no price in', () => {
    const offers = [...Object.keys(testInput.plans), ...Object.keys(testInput.packs)];
    const problems = problemsOf(withTop({ currencies: ['usd', 'eur'] }));
    expect(problems).toHaveLength(offers.length);
    expect(problems[0]).toBe(
      `plans.${monthly} has no price in "eur": add prices: { eur: … }, or take it from "currencies"`,
    );
  });

  it('says all of them at once', () => {
    const error = new CatalogError(problemsOf(withTop({ trialDays: -1, gate: '' })));
    expect(error.problems).toHaveLength(2);
    expect(error.message).toContain('billing.config.ts');
  });
});

describe('a catalogue as it is written', () => {
  const resolved = defineCatalog({
    ...testInput,
    entitlements: { pro: { includes: ['plus'] }, plus: { includes: ['basic'] }, basic: {} },
    plans: {
      ...testInput.plans,
      gold: { kind: 'lifetime', amount: 1, currency: 'jpy', grants: ['pro'], popular: true },
    },
    free: { credits: 20, every: 'month' },
    features: {
      chat: { hold: 20, overdraw: 5, rates: { input: { credits: 3, per: 1_000 } }, needs: 'basic' },
    },
    apps: { [ID]: { entitlements: ['plus'] } },
  });

  it('is resolved: each offer by its key, each entitlement with all that it includes', () => {
    expect(offerOf(resolved, 'gold')).toEqual({
      lookupKey: 'gold',
      kind: 'lifetime',
      interval: 'once',
      amount: 1,
      currency: 'jpy',
      grants: ['basic', 'plus', 'pro'],
      credits: null,
      trial: false,
      popular: true,
    });
    expect(resolved.entitlements.plus).toEqual(['basic', 'plus']);
    expect(resolved.apps[ID]).toEqual({
      sells: offersOf(resolved).map(({ lookupKey }) => lookupKey),
      entitlements: ['basic', 'plus'],
    });
    expect(resolved).toMatchObject({
      unmetered: 'free',
      free: { guests: 0, verifiedEmail: false, dailyCeiling: null },
    });
    expect(costOf(resolved, 'chat')).toBe(20);
    expect(resolved.features.chat).toMatchObject({
      overdraw: 5,
      rates: { input: { credits: 3, per: 1_000 } },
    });
  });

  it.each([
    ['hybrid-credits', testInput.plans, 'metered'],
    ['credits-only', {}, 'metered'],
    ['subscription', testInput.plans, 'paywall'],
  ] as const)('has without a "gate", in the model %s, the gate of its model', (model, plans, gate) => {
    const { gate: _, ...rest } = testInput;
    const input: CatalogInput = { ...rest, model, plans };
    expect(defineCatalog(input).gate).toBe(gate);
  });

  it('is plain data, the same after it was stored', () => {
    expect(JSON.parse(JSON.stringify(resolved))).toEqual(resolved);
  });

  it('knows its keys in the editor', () => {
    expectTypeOf<keyof (typeof resolved)['entitlements']>().toEqualTypeOf<'pro' | 'plus' | 'basic'>();
    expectTypeOf<keyof (typeof resolved)['features']>().toEqualTypeOf<'chat'>();
    expectTypeOf<(typeof resolved)['plans'][number]['lookupKey']>().toEqualTypeOf<
      keyof typeof testInput.plans | 'gold'
    >();
  });
});

const SEEDED = [
  'credits_pack_large',
  'credits_pack_small',
  'premium_lifetime',
  'premium_metered_monthly',
  'premium_monthly',
  'premium_yearly',
];

describe('the shipped catalogue', () => {
  // An owner replaces billing.config.ts by their own. Theirs promises nothing that the specification says of its template.
  const catalog: Catalog = shipped;
  const keys = offersOf(catalog).map(({ lookupKey }) => lookupKey);
  const isOwners = !SEEDED.every((key) => keys.includes(key));

  it('sells the lookup keys of the specification', () => {
    if (isOwners) return;
    expect(keys.toSorted()).toEqual(SEEDED);
    expect(offersOf(catalog).filter(({ kind }) => kind === 'lifetime')).toHaveLength(1);
  });

  it('brings 1,000 credits a month with the metered plan', () => {
    if (isOwners) return;
    const metered = catalog.plans.find(({ lookupKey }) => lookupKey === 'premium_metered_monthly');
    expect(metered?.credits).toEqual({ amount: 1_000, every: 'month' });
  });

  it('gives a name to everything that the provider shows', () => {
    if (isOwners) return;
    const names = offersOf(catalog).map(productName);
    expect(new Set(names).size).toBe(names.length);
    expect(names).not.toEqual(expect.arrayContaining([expect.stringContaining('_')]));
  });
});

describe('an offer and a feature of a catalogue', () => {
  const catalog: Catalog = {
    ...testCatalog,
    features: {
      summary: { cost: 3 },
      draft: {},
      report: { gate: 'paywall', cost: 4 },
      hint: { gate: 'none' },
    },
  };

  it.each([
    ['summary', 'metered', 3],
    ['draft', 'metered', 1],
    ['report', 'paywall', 0],
    ['hint', 'none', 0],
    ['nothing', undefined, undefined],
    ['constructor', undefined, undefined],
  ])('%s is behind the gate %s and costs %s', (feature, gate, cost) => {
    expect([gateOf(catalog, feature), costOf(catalog, feature)]).toEqual([gate, cost]);
  });

  it('is found by its key, and only a subscription renews', () => {
    expect(offerOf(catalog, PACK.small)?.kind).toBe('pack');
    expect(offerOf(catalog, 'toString')).toBeUndefined();
    const renewing = offersOf(catalog).filter(({ lookupKey }) => isPlanKey(catalog, lookupKey));
    expect(renewing.map(({ kind }) => kind)).toEqual(Array(3).fill('subscription'));
    expect(isPlanKey(catalog, undefined)).toBe(false);
  });
});
