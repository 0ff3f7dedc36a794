import type { LookupKey } from '@extension-billing/contract/catalog';
import type { Stripe } from 'stripe';
import type { Account } from '../../packages/cli/src/local/account.ts';
import { catalog } from '../../packages/cli/src/local/catalog.ts';
import type { SuiteAddresses } from '../../packages/cli/src/local/suite.ts';
import { seedCatalog } from '../../packages/cli/src/stripe/catalog.ts';
import { lifetime, packs, pastDue, refunds, secondPlan, trialToCanceled } from './scenarios.ts';
import { simulatorDriver } from './simulator-driver.ts';
import { type Scenario, Stage } from './stage.ts';
import { stripeDriver } from './stripe-driver.ts';

/** What a scenario does at the provider, in the words of a person who uses it; one implementation per provider. */
export interface ProviderDriver {
  readonly provider: 'simulator' | 'stripe';
  /** Makes ready what this user's purchases need. */
  begin(account: Account): Promise<BuyerDriver>;
}

export interface BuyerDriver {
  /** Buys with a card that pays, as the hosted checkout would; a first plan with the trial of the catalogue. */
  buy(lookupKey: LookupKey): Promise<void>;
  /** Moves the provider's clock, and waits until everything due has been billed. */
  advanceDays(days: number): Promise<void>;
  cancelAtPeriodEnd(): Promise<void>;
  /** Gives back the last one-time payment: all that is left of it, or an amount in minor units. */
  refund(amount?: number): Promise<void>;
  /** The card that the next charge meets. */
  putCard(card: 'pays' | 'is declined'): Promise<void>;
  /** Pays the open invoice with the card that is there. */
  payOpenInvoice(): Promise<void>;
  /** Brings the events to the service until the condition holds. @throws Error when it does not come to hold. */
  deliverUntil(holds: () => Promise<boolean>): Promise<void>;
  /** Removes what `begin` made where that outlives the run. */
  end(): Promise<void>;
}

export const SCENARIOS: readonly Scenario[] = [
  trialToCanceled,
  packs,
  refunds,
  pastDue,
  lifetime,
  secondPlan,
];

/**
 * The provider as a scenario reaches it: `simulator` by its control routes, `stripe` by the API alone, with test clocks
 * and fetched events.
 *
 * @throws Error for another word, or without the signing secret that Stripe itself needs.
 */
export async function openTarget(
  leg: string,
  suite: SuiteAddresses,
  stripe: Stripe,
): Promise<ProviderDriver> {
  if (leg === 'simulator') return simulatorDriver(suite, stripe);
  if (leg !== 'stripe') throw new Error(`--leg is simulator or stripe, not "${leg}".`);
  const secret = process.env.PAYMENT_WEBHOOK_SECRET;
  if (!secret) throw new Error('PAYMENT_WEBHOOK_SECRET is not set. Run this through "npm run scenario".');
  await seedCatalog(stripe, catalog);
  return stripeDriver(stripe, { url: `${suite.billing}/billing/webhook`, secret });
}

/** Plays a scenario with a new user. @throws AssertionError with what differs from what must be seen. */
export async function play(
  scenario: Scenario,
  suite: SuiteAddresses,
  provider: ProviderDriver,
): Promise<void> {
  const stage = await Stage.set(suite, provider);
  await scenario.play(stage).finally(() => stage.buyer.end());
}
