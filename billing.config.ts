import { defineCatalog } from '@extension-billing/contract/define-catalog';

/**
 * The one catalogue: what is sold, what a feature costs, how long a trial lasts. Nothing else in this repository names
 * one of its keys, amounts or names. A mistake in it is reported with its place by whatever reads it first.
 *
 * The amounts are shown, not charged: what is charged belongs to the provider's price of the same lookup key, which
 * `npm run stripe:setup` makes from this file and `npm run doctor` compares with it.
 */
export default defineCatalog({
  model: 'hybrid-credits',
  gate: 'metered',
  trialDays: 7,
  plans: [
    {
      lookupKey: 'premium_monthly',
      kind: 'subscription',
      interval: 'month',
      amount: 900,
      currency: 'usd',
      monthlyCredits: 0,
      hasTrial: true,
      product: { name: 'Premium', description: 'Everything, billed monthly.' },
    },
    {
      lookupKey: 'premium_yearly',
      kind: 'subscription',
      interval: 'year',
      amount: 9000,
      currency: 'usd',
      monthlyCredits: 0,
      hasTrial: true,
      product: { name: 'Premium (yearly)', description: 'Everything, billed yearly.' },
    },
    {
      lookupKey: 'premium_metered_monthly',
      kind: 'subscription',
      interval: 'month',
      amount: 1900,
      currency: 'usd',
      monthlyCredits: 1000,
      hasTrial: true,
      product: { name: 'Premium with credits', description: 'Everything, with 1,000 credits each month.' },
    },
    {
      lookupKey: 'premium_lifetime',
      kind: 'lifetime',
      interval: 'once',
      amount: 19900,
      currency: 'usd',
      monthlyCredits: 0,
      hasTrial: false,
      product: { name: 'Premium (lifetime)', description: 'Everything, paid once.' },
    },
  ],
  packs: [
    {
      lookupKey: 'credits_pack_small',
      kind: 'pack',
      amount: 500,
      currency: 'usd',
      credits: 100,
      product: { name: '100 credits', description: 'Credits that never expire.' },
    },
    {
      lookupKey: 'credits_pack_large',
      kind: 'pack',
      amount: 2000,
      currency: 'usd',
      credits: 500,
      product: { name: '500 credits', description: 'Credits that never expire.' },
    },
  ],
  features: {
    demo: { cost: 1 },
    demo_deep: { cost: 5 },
  },
});
