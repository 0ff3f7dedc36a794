import { EVENT_TYPES } from '../../functions/src/stripe/translate.ts';
import { type Account, consume, signUp } from '../../packages/cli/src/local/account.ts';
import type { SuiteAddresses } from '../../packages/cli/src/local/suite.ts';
import { SIMULATOR_SECRETS } from '../../packages/cli/src/local/suite.ts';
import { connect } from '../../packages/cli/src/stripe/connect.ts';
import { simulatorHands } from '../scenario/simulator.ts';

/** Who asks, for hooks.py. */
export interface Callers {
  /** ID tokens of users in every state that makes an answer differ. */
  readonly users: readonly string[];
  /** ID tokens of users whom nobody misses. */
  readonly deleted: readonly string[];
  readonly webhookSecret: string;
  readonly eventTypes: readonly string[];
}

/** Signs users up and lets them buy: many credits, none left, a plan, the lifetime plan, nothing. */
export async function makeCallers(suite: SuiteAddresses, webhookSecret: string): Promise<Callers> {
  const stripe = await connect({ key: SIMULATOR_SECRETS.PAYMENT_SECRET_KEY, base: suite.provider });
  const hands = simulatorHands(suite, stripe);
  const withPlan = await signUp(suite);
  const withLifetime = await signUp(suite);
  const withPack = await signUp(suite);
  const withNothing = await signUp(suite);
  await (await hands.begin(withPlan)).buy('premium_metered_monthly');
  await (await hands.begin(withLifetime)).buy('premium_lifetime');
  const pack = await hands.begin(withPack);
  await pack.buy('credits_pack_small');
  await pack.deliverUntil(async () => (await consume(suite, withPack, 'demo')) === 200);
  await spendAll(suite, withPack);
  const toDelete = await Promise.all(Array.from({ length: 5 }, () => signUp(suite)));
  return {
    // Most requests come from the one who has credits to spend.
    users: [withPlan, withPlan, withPlan, withLifetime, withPack, withNothing].map(({ idToken }) => idToken),
    deleted: toDelete.map(({ idToken }) => idToken),
    webhookSecret,
    eventTypes: EVENT_TYPES,
  };
}

async function spendAll(suite: SuiteAddresses, account: Account): Promise<void> {
  let status = 200;
  while (status === 200) status = await consume(suite, account, 'demo_deep');
  if (status !== 402) throw new Error(`A consume that empties the balance was answered ${status}.`);
}
