import { describe, expect, it } from 'vitest';
import shipped from '../../../billing.config.ts';
import { testCatalog } from '../test/catalog.ts';
import { type Catalog, costOf, gateOf, isPlanKey, offerOf, offersOf, productName } from './catalog.ts';
import { CatalogError, defineCatalog } from './define-catalog.ts';

/** What is said of the tests' catalogue with something else in it. */
function problemsOf(change: (catalog: ReturnType<typeof draft>) => void): readonly string[] {
  const changed = draft();
  change(changed);
  try {
    defineCatalog(changed as unknown as Catalog);
  } catch (error) {
    if (error instanceof CatalogError) return error.problems;
    throw error;
  }
  return [];
}
type Draft = { plans: Record<string, unknown>[]; packs: Record<string, unknown>[] } & Record<string, unknown>;
const draft = () => structuredClone(testCatalog) as unknown as Draft;

describe('a mistake in the catalogue is named with its place, and what to write instead', () => {
  it.each<[string, (catalog: Draft) => void, string]>([
    [
      'an amount in dollars',
      ({ plans: [plan] }) => Object.assign(plan ?? {}, { amount: 9.5 }),
      'plans[0].amount must be a whole number of minor currency units (1900 for $19.00), not 9.5',
    ],
    [
      'a currency in capitals',
      ({ packs: [, pack] }) => Object.assign(pack ?? {}, { currency: 'USD' }),
      'packs[1].currency must be a currency of three lower-case letters, like "usd", not "USD"',
    ],
    [
      'a misspelt field',
      ({ plans: [plan] }) => Object.assign(plan ?? {}, { trial: true }),
      'plans[0].trial is not a field of a catalogue: take it out, or correct its spelling',
    ],
    ['a field left out', ({ packs: [pack] }) => delete pack?.credits, 'packs[0].credits is missing'],
    [
      'a lifetime by the month',
      ({ plans: [, , , lifetime] }) => Object.assign(lifetime ?? {}, { interval: 'month' }),
      'plans[3] has an interval that does not fit its kind: "once" for a lifetime plan, "month" or "year" for a subscription',
    ],
    [
      'a free feature behind the meter',
      (catalog) => Object.assign(catalog, { features: { chat: { cost: 0 } } }),
      'features.chat.cost must be a whole number of credits from 1, not 0',
    ],
    [
      'a gate that there is not',
      (catalog) => Object.assign(catalog, { gate: 'open' }),
      'gate must be "metered", "paywall" or "none", not "open"',
    ],
    [
      'one key twice',
      ({ packs }) => Object.assign(packs[1] ?? {}, { lookupKey: 'premium_monthly' }),
      'the lookup key "premium_monthly" is sold twice: each offer needs one of its own',
    ],
  ])('%s', (_, change, problem) => {
    expect(problemsOf(change)).toEqual([problem]);
  });

  it('says all of them at once', () => {
    const error = new CatalogError(
      problemsOf((catalog) => Object.assign(catalog, { trialDays: -1, gate: '' })),
    );
    expect(error.problems).toHaveLength(2);
    expect(error.message).toContain('billing.config.ts');
  });
});

describe('the shipped catalogue', () => {
  it('sells the lookup keys of the specification', () => {
    expect(
      offersOf(shipped)
        .map(({ lookupKey }) => lookupKey)
        .toSorted(),
    ).toEqual([
      'credits_pack_large',
      'credits_pack_small',
      'premium_lifetime',
      'premium_metered_monthly',
      'premium_monthly',
      'premium_yearly',
    ]);
  });

  it('gives a name to everything that the provider shows', () => {
    const names = offersOf(shipped).map(productName);
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
    expect(offerOf(catalog, 'credits_pack_small')?.kind).toBe('pack');
    expect(offerOf(catalog, 'toString')).toBeUndefined();
    const renewing = offersOf(catalog).filter(({ lookupKey }) => isPlanKey(catalog, lookupKey));
    expect(renewing.map(({ kind }) => kind)).toEqual(Array(3).fill('subscription'));
    expect(isPlanKey(catalog, undefined)).toBe(false);
  });
});
