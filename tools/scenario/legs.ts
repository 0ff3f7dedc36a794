import type { Stripe } from 'stripe';
import catalog from '../../billing.config.ts';
import type { SuiteAddresses } from '../../packages/cli/src/local/suite.ts';
import { seedCatalog } from '../../packages/cli/src/stripe/catalog.ts';
import type { ProviderHands } from './provider-hands.ts';
import { lifetime } from './scenarios/lifetime.ts';
import { packs } from './scenarios/packs.ts';
import { pastDue } from './scenarios/past-due.ts';
import { refunds } from './scenarios/refunds.ts';
import { secondPlan } from './scenarios/second-plan.ts';
import { trialToCanceled } from './scenarios/trial-to-canceled.ts';
import { simulatorHands } from './simulator.ts';
import { type Scenario, Stage } from './stage.ts';
import { stripeHands } from './stripe.ts';

export const SCENARIOS: readonly Scenario[] = [
  trialToCanceled,
  packs,
  refunds,
  pastDue,
  lifetime,
  secondPlan,
];

/**
 * The provider as a leg reaches it: `simulator` by its control routes, `stripe` by the API alone, with test clocks
 * and fetched events.
 *
 * @throws Error for another word, or without the signing secret that the Stripe leg needs.
 */
export async function takeLeg(leg: string, suite: SuiteAddresses, stripe: Stripe): Promise<ProviderHands> {
  if (leg === 'simulator') return simulatorHands(suite, stripe);
  if (leg !== 'stripe') throw new Error(`--leg is simulator or stripe, not "${leg}".`);
  const secret = process.env.PAYMENT_WEBHOOK_SECRET;
  if (!secret) throw new Error('PAYMENT_WEBHOOK_SECRET is not set. Run this through "npm run scenario".');
  await seedCatalog(stripe, catalog);
  return stripeHands(stripe, { url: `${suite.billing}/billing/webhook`, secret });
}

/** Plays a scenario with a new user. @throws AssertionError with what differs from what must be seen. */
export async function play(
  scenario: Scenario,
  suite: SuiteAddresses,
  provider: ProviderHands,
): Promise<void> {
  const stage = await Stage.set(suite, provider);
  await scenario.play(stage).finally(() => stage.buyer.end());
}
