import { defineCatalog } from '@extension-billing/contract';

/**
 * What the example sells. In a checkout of your own, `chat` goes among the features of your one billing.config.ts, and
 * this file becomes `export { default } from '../../billing.config.ts'`.
 *
 * A rate is so many credits for so many tokens. `hold` is the most that one call may take, and so what a call may be at
 * most: about 40,000 characters here.
 */
export default defineCatalog({
  model: 'credits-only',
  gate: 'metered',
  unmetered: 'refuse',
  free: { credits: 100, every: 'day', guests: 20 },
  trialDays: 0,
  plans: {},
  packs: {
    assistant_credits: {
      amount: 500,
      currency: 'usd',
      credits: 1_000,
      product: { name: '1,000 credits', description: 'Credits that never expire.' },
    },
  },
  features: {
    chat: {
      hold: 50,
      rates: {
        input: { credits: 1, per: 1_000 },
        cached: { credits: 1, per: 10_000 },
        output: { credits: 1, per: 250 },
        reasoning: { credits: 1, per: 250 },
      },
    },
  },
});
