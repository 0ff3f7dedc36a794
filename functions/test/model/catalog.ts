import type { Catalog, LookupKey } from '@extension-billing/contract/catalog';
import { defineCatalog } from '@extension-billing/contract/define-catalog';
import { PACK, PLAN, testInput } from '@extension-billing/contract/test/catalog';

/**
 * What the model sells. Amounts are small and odd, so that balances run out, and a proportional clawback has
 * something to round.
 */
export const MODEL_PACKS = {
  small: { lookupKey: PACK.small, credits: 10, amount: 499 },
  large: { lookupKey: PACK.large, credits: 23, amount: 1999 },
} as const satisfies Record<string, { lookupKey: LookupKey; credits: number; amount: number }>;
export type PackName = keyof typeof MODEL_PACKS;

const DAY = 86_400_000;

/** What a tier entitles to beside `paid`, written out: `pro` includes `basic`. */
export const TIERS = { none: [], basic: ['basic'], pro: ['basic', 'pro'] } as const satisfies Record<
  string,
  readonly string[]
>;

/** `monthlyCredits` 0: not metered. `length` is a period in milliseconds. `grants`: what a sale of it says it brings. */
export const MODEL_PLANS = {
  [PLAN.monthly]: { monthlyCredits: 0, length: 30 * DAY, grants: TIERS.basic },
  [PLAN.yearly]: { monthlyCredits: 0, length: 365 * DAY, grants: TIERS.none },
  [PLAN.metered]: { monthlyCredits: 20, length: 30 * DAY, grants: TIERS.pro },
} as const satisfies Partial<
  Record<LookupKey, { monthlyCredits: number; length: number; grants: readonly string[] }>
>;
export type PlanName = keyof typeof MODEL_PLANS;

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
    [PLAN.lifetime]: { ...plans[PLAN.lifetime], grants: ['basic'] },
    reader_small_for_good: { ...plans[PLAN.lifetime], amount: 9_900, grants: ['pro'] },
  },
});

export const TRIAL_LENGTH = 7 * DAY;
