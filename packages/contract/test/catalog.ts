import type { Catalog } from '../src/catalog.ts';
import { defineCatalog } from '../src/define-catalog.ts';

/** The lookup keys of what the tests sell. */
export const PLAN = {
  /** Without credits, by the month and by the year. */
  monthly: 'reader_monthly',
  yearly: 'reader_yearly',
  /** With an allowance in each month. */
  metered: 'writer_monthly',
  lifetime: 'reader_for_good',
} as const;
export const PACK = { small: 'pages_small', large: 'pages_large' } as const;

/** The tests' catalogue as it would be written; a test that wants another one changes a copy. */
export const testInput = {
  model: 'hybrid-credits',
  gate: 'metered',
  trialDays: 7,
  plans: {
    [PLAN.monthly]: {
      kind: 'subscription',
      interval: 'month',
      amount: 900,
      currency: 'usd',
      trial: true,
      product: { name: 'Test plan' },
    },
    [PLAN.yearly]: {
      kind: 'subscription',
      interval: 'year',
      amount: 9000,
      currency: 'usd',
      trial: true,
      product: { name: 'Test plan by the year' },
    },
    [PLAN.metered]: {
      kind: 'subscription',
      interval: 'month',
      amount: 1900,
      currency: 'usd',
      credits: { amount: 1000, every: 'month' },
      trial: true,
      product: { name: 'Test plan with credits' },
    },
    [PLAN.lifetime]: {
      kind: 'lifetime',
      amount: 19900,
      currency: 'usd',
      product: { name: 'Test plan for good' },
    },
  },
  packs: {
    [PACK.small]: {
      amount: 500,
      currency: 'usd',
      credits: 100,
      product: { name: 'Small test pack' },
    },
    [PACK.large]: {
      amount: 2000,
      currency: 'usd',
      credits: 500,
      product: { name: 'Large test pack' },
    },
  },
  features: {
    demo: { cost: 1 },
    demo_deep: { cost: 5 },
  },
} as const;

/**
 * The catalogue of the tests: its keys, amounts and names are theirs alone. So a change of billing.config.ts turns no
 * test red but those about that file.
 */
export const testCatalog: Catalog = defineCatalog(testInput);

export default testCatalog;
