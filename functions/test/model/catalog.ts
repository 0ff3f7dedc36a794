import type { Catalog, LookupKey } from '@extension-billing/contract/catalog';
import { defineCatalog } from '@extension-billing/contract/define-catalog';
import { PACK, PLAN, testInput } from '@extension-billing/contract/test/catalog';
import { DAY } from '@extension-billing/contract/time';
import { MEASURED } from './features.ts';

/**
 * What the model sells. Amounts are small and odd, so that balances run out, and a proportional clawback has
 * something to round.
 */
export const MODEL_PACKS = {
  small: { lookupKey: PACK.small, credits: 10, amount: 499 },
  large: { lookupKey: PACK.large, credits: 23, amount: 1999 },
} as const satisfies Record<string, { lookupKey: LookupKey; credits: number; amount: number }>;
export type PackName = keyof typeof MODEL_PACKS;

/** What a tier entitles to beside `paid`, written out: `pro` includes `basic`. */
export const TIERS = { none: [], basic: ['basic'], pro: ['basic', 'pro'] } as const satisfies Record<
  string,
  readonly string[]
>;

interface ModelPlan {
  /** 0: not metered. */
  readonly monthlyCredits: number;
  readonly interval: 'month' | 'year';
  /** Of a period, in milliseconds. */
  readonly length: number;
  /** What a sale of it says it brings. */
  readonly grants: readonly string[];
  /** Minor units of a period, in each currency that the provider bills it in. */
  readonly costs: Readonly<Record<Currency, number>>;
  /** Its price was made by hand: in no other currency than its own it says what it costs. */
  readonly byHand?: boolean;
}

/** The first is every price's own. */
export type Currency = 'usd' | 'eur';

const month = { interval: 'month', length: 30 * DAY } as const;

export const MODEL_PLANS = {
  [PLAN.monthly]: { ...month, monthlyCredits: 0, grants: TIERS.basic, costs: { usd: 500, eur: 450 } },
  [PLAN.yearly]: {
    ...{ interval: 'year', length: 365 * DAY, monthlyCredits: 0 },
    ...{ grants: TIERS.none, costs: { usd: 5_000, eur: 4_600 }, byHand: true },
  },
  [PLAN.metered]: { ...month, monthlyCredits: 20, grants: TIERS.pro, costs: { usd: 1_900, eur: 1_700 } },
  writer_large_monthly: {
    ...{ ...month, monthlyCredits: 50, grants: TIERS.pro, costs: { usd: 3_900, eur: 3_500 } },
  },
} as const satisfies Record<LookupKey, ModelPlan>;
export type PlanName = keyof typeof MODEL_PLANS;

/** Something else that the owner sells by the month. It brings nothing. */
export const ADD_ON_COSTS: Readonly<Record<Currency, number>> = { usd: 300, eur: 280 };

export const MODEL_LIFETIMES = {
  [PLAN.lifetime]: { amount: 19_900, grants: TIERS.pro },
  reader_small_for_good: { amount: 9_900, grants: TIERS.basic },
} as const satisfies Record<LookupKey, { amount: number; grants: readonly string[] }>;
export type LifetimeName = keyof typeof MODEL_LIFETIMES;

const { plans } = testInput;

/**
 * What is sold now, after the tiers were dealt out anew: nobody in the model bought it like this, and everybody keeps
 * what was sold.
 */
export const catalogOfNow: Catalog = defineCatalog({
  ...testInput,
  entitlements: { basic: {}, pro: { includes: ['basic'] } },
  plans: {
    [PLAN.monthly]: { ...plans[PLAN.monthly], grants: ['pro'] },
    [PLAN.yearly]: { ...plans[PLAN.yearly], grants: ['pro'] },
    [PLAN.metered]: { ...plans[PLAN.metered], grants: ['basic'] },
    writer_large_monthly: { ...plans[PLAN.metered], amount: 3_900, grants: ['basic'] },
    [PLAN.lifetime]: { ...plans[PLAN.lifetime], grants: ['basic'] },
    reader_small_for_good: { ...plans[PLAN.lifetime], amount: 9_900, grants: ['pro'] },
  },
  features: { ...testInput.features, [MEASURED.name]: MEASURED.price },
});

export const TRIAL_LENGTH = 7 * DAY;
