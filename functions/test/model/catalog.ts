import type { LookupKey } from '@extension-billing/contract/catalog';
import { PACK, PLAN } from '@extension-billing/contract/test/catalog';

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

/** `monthlyCredits` 0: not metered. `length` is a period in milliseconds. */
export const MODEL_PLANS = {
  [PLAN.monthly]: { monthlyCredits: 0, length: 30 * DAY },
  [PLAN.yearly]: { monthlyCredits: 0, length: 365 * DAY },
  [PLAN.metered]: { monthlyCredits: 20, length: 30 * DAY },
} as const satisfies Partial<Record<LookupKey, { monthlyCredits: number; length: number }>>;
export type PlanName = keyof typeof MODEL_PLANS;

export const LIFETIME = { lookupKey: PLAN.lifetime, amount: 19_900 } as const;
export const TRIAL_LENGTH = 7 * DAY;
