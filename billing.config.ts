import { defineCatalog } from '@extension-billing/contract';

/**
 * The one catalogue: what is sold, what a feature costs, how long a trial lasts. Nothing else in this repository names
 * one of its keys, amounts or names. A mistake in it is reported with its place by whatever reads it first.
 *
 * `npx billing setup` creates the provider's prices from this file. Once a price exists, its amount and its credits
 * belong to the provider: change them in its dashboard. `npx billing doctor` notes where they differ from this file.
 */
export default defineCatalog({
  model: 'hybrid-credits',
  gate: 'metered',
  trialDays: 7,
  plans: {
    premium_monthly: {
      kind: 'subscription',
      interval: 'month',
      amount: 900,
      currency: 'usd',
      trial: true,
      product: { name: 'Premium', description: 'Everything, billed monthly.' },
    },
    premium_yearly: {
      kind: 'subscription',
      interval: 'year',
      amount: 9000,
      currency: 'usd',
      trial: true,
      product: { name: 'Premium (yearly)', description: 'Everything, billed yearly.' },
    },
    premium_metered_monthly: {
      kind: 'subscription',
      interval: 'month',
      amount: 1900,
      currency: 'usd',
      credits: { amount: 1000, every: 'month' },
      trial: true,
      product: { name: 'Premium with credits', description: 'Everything, with 1,000 credits each month.' },
    },
    premium_lifetime: {
      kind: 'lifetime',
      amount: 19900,
      currency: 'usd',
      product: { name: 'Premium (lifetime)', description: 'Everything, paid once.' },
    },
  },
  packs: {
    credits_pack_small: {
      amount: 500,
      currency: 'usd',
      credits: 100,
      product: { name: '100 credits', description: 'Credits that never expire.' },
    },
    credits_pack_large: {
      amount: 2000,
      currency: 'usd',
      credits: 500,
      product: { name: '500 credits', description: 'Credits that never expire.' },
    },
  },
  features: {
    demo: { cost: 1 },
    demo_deep: { cost: 5 },
  },
});
