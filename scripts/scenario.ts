// npm run scenario [-- --leg simulator|stripe] [<name>…]: the lifecycle scenarios, with the record at each step.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Stripe } from 'stripe';
import { pricing } from '../functions/src/contract/pricing.ts';
import { readAddresses, type SuiteAddresses } from './scenario/addresses.ts';
import type { ProviderHands } from './scenario/provider-hands.ts';
import { lifetime } from './scenario/scenarios/lifetime.ts';
import { packs } from './scenario/scenarios/packs.ts';
import { pastDue } from './scenario/scenarios/past-due.ts';
import { refunds } from './scenario/scenarios/refunds.ts';
import { secondPlan } from './scenario/scenarios/second-plan.ts';
import { trialToCanceled } from './scenario/scenarios/trial-to-canceled.ts';
import { simulatorHands } from './scenario/simulator.ts';
import { Stage } from './scenario/stage.ts';
import { stripeHands } from './scenario/stripe.ts';
import { chooseProvider, connect } from './stripe/connect.ts';
import { seedCatalog } from './stripe/seed-catalog.ts';
import { readSecrets } from './suite/settings.ts';

const SCENARIOS = [trialToCanceled, packs, refunds, pastDue, lifetime, secondPlan];

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options: { leg: { type: 'string' } }, allowPositionals: true });
  const names = SCENARIOS.map(({ name }) => name);
  const unknown = positionals.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new Error(`There is no scenario "${unknown}"; there are ${names.join(', ')}.`);
  const suite = readAddresses(process.env);
  const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
  // The suite has the simulator up exactly when it does not run with a real key.
  const key = suite.provider === '' ? process.env.STRIPE_TEST_KEY : undefined;
  const environment = { ...process.env, PAYMENT_SECRET_KEY: key };
  const choice = chooseProvider(environment, readSecrets(join(root, '.secret.local')).PAYMENT_SECRET_KEY);
  const stripe = await connect(choice);
  const leg = values.leg ?? (choice.base === null ? 'stripe' : 'simulator');
  const provider = await take(leg, suite, stripe);
  for (const { name, what, play } of SCENARIOS) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    console.log(`\n── ${name}: ${what}`);
    const stage = await Stage.set(suite, provider);
    await play(stage).finally(() => stage.buyer.end());
  }
  const played = positionals.length === 0 ? names : positionals;
  console.log(`\nThe lifecycle held with the ${leg} leg: ${played.join(', ')}.`);
  return 0;
}

async function take(leg: string, suite: SuiteAddresses, stripe: Stripe): Promise<ProviderHands> {
  if (leg === 'simulator') return simulatorHands(suite, stripe);
  if (leg !== 'stripe') throw new Error(`--leg is simulator or stripe, not "${leg}".`);
  const secret = process.env.PAYMENT_WEBHOOK_SECRET;
  if (!secret) throw new Error('PAYMENT_WEBHOOK_SECRET is not set. Run this through "npm run scenario".');
  await seedCatalog(stripe, pricing);
  return stripeHands(stripe, { url: `${suite.billing}/billing/webhook`, secret });
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(error);
  return 1;
});
