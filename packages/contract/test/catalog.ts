import type { Catalog } from '../src/catalog.ts';
import { defineCatalog } from '../src/define-catalog.ts';

/**
 * The catalogue of the tests: its keys are those of the specification, everything else is theirs alone. So a change of
 * billing.config.ts turns no test red but those about that file.
 */
export const testCatalog: Catalog = defineCatalog({
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
      product: { name: 'Test plan' },
    },
    {
      lookupKey: 'premium_yearly',
      kind: 'subscription',
      interval: 'year',
      amount: 9000,
      currency: 'usd',
      monthlyCredits: 0,
      hasTrial: true,
      product: { name: 'Test plan by the year' },
    },
    {
      lookupKey: 'premium_metered_monthly',
      kind: 'subscription',
      interval: 'month',
      amount: 1900,
      currency: 'usd',
      monthlyCredits: 1000,
      hasTrial: true,
      product: { name: 'Test plan with credits' },
    },
    {
      lookupKey: 'premium_lifetime',
      kind: 'lifetime',
      interval: 'once',
      amount: 19900,
      currency: 'usd',
      monthlyCredits: 0,
      hasTrial: false,
      product: { name: 'Test plan for good' },
    },
  ],
  packs: [
    {
      lookupKey: 'credits_pack_small',
      kind: 'pack',
      amount: 500,
      currency: 'usd',
      credits: 100,
      product: { name: 'Small test pack' },
    },
    {
      lookupKey: 'credits_pack_large',
      kind: 'pack',
      amount: 2000,
      currency: 'usd',
      credits: 500,
      product: { name: 'Large test pack' },
    },
  ],
  features: {
    demo: { cost: 1 },
    demo_deep: { cost: 5 },
  },
});

export default testCatalog;
