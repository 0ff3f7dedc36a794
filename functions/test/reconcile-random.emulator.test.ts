import { PACK, PLAN, testCatalog } from '@extension-billing/contract/test/catalog';
import type { Stripe } from 'stripe';
import { describe, expect, it } from 'vitest';
import { type CheckDeps, checkUser, repairUser } from '../src/reconcile/user.ts';
import { aConfig } from './app/config.ts';
import { auth, firestore } from './app/emulated-user.ts';
import { keptLog } from './app/serve-app.ts';
import { provider } from './app/suite.ts';
import { aBuyer } from './fixtures/buyer.ts';
import * as simulator from './fixtures/simulator.ts';

const stripe = provider();
const deps: CheckDeps = {
  firestore,
  auth,
  stripe: async () => stripe,
  now: () => Date.now(),
  log: keptLog(),
  config: aConfig(),
  catalog: () => testCatalog,
};
const HISTORIES = Number(process.env.RECONCILE_HISTORIES ?? 8);
const SEED = Number(process.env.RECONCILE_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** A repeatable sequence of whole numbers below `below` (mulberry32). */
function dice(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

type Buyer = Awaited<ReturnType<typeof aBuyer>>;

/** One thing that happens to a customer; what is not possible at the moment does not happen. */
const HAPPENINGS: readonly ((user: Buyer, roll: (below: number) => number) => Promise<unknown>)[] = [
  (user) => user.buy(PACK.small),
  (user) => user.buy(PACK.large),
  (user) => user.buy(PLAN.metered),
  (user) => user.buy(PLAN.lifetime),
  async (user) => simulator.cancel(await user.subscription(), true),
  async (user) => simulator.cancel(await user.subscription(), false),
  async (user) => stripe.subscriptions.update(await user.subscription(), { cancel_at_period_end: false }),
  async (user, roll) => simulator.refund((await user.charge()).paymentIntent, 1 + roll(400)),
  async (user) => simulator.refund((await user.charge()).paymentIntent),
  async (user, roll) => simulator.dispute((await user.charge()).id, roll(2) === 0 ? 'won' : 'lost'),
  (user) => user.consume('demo_deep'),
];

/** The events of a customer's own objects, in a random order. */
async function eventsOf(customer: string, roll: (below: number) => number): Promise<readonly string[]> {
  const about = (event: Stripe.Event): boolean => JSON.stringify(event.data).includes(customer);
  const events: string[] = [];
  for await (const event of stripe.events.list({ limit: 100 })) if (about(event)) events.push(event.id);
  return events
    .map((id) => ({ id, at: roll(1_000_000) }))
    .sort((a, b) => a.at - b.at)
    .map(({ id }) => id);
}

describe(`${HISTORIES} random customers with lost events (RECONCILE_SEED=${SEED})`, () => {
  it.each(Array.from({ length: HISTORIES }, (_, i) => SEED + i))(
    'seed %i: repaired to the provider’s state, and nothing that arrives later changes it',
    async (seed) => {
      const roll = dice(seed);
      const user = await aBuyer();
      for (let step = 0; step < 10; step += 1) {
        const happens = HAPPENINGS[roll(HAPPENINGS.length)];
        const act = async () => {
          await happens?.(user, roll).catch(() => {});
        };
        await (roll(2) === 0 ? simulator.whileEventsAreLost(act) : act());
        await simulator.delivered();
        await simulator.advance(10);
        if (roll(6) === 0) await repairUser(deps, user.uid);
      }
      expect((await repairUser(deps, user.uid)).after.differences).toEqual([]);
      const { updatedAt: _, ...repaired } = (await user.record()) ?? {};
      const credits = await user.credits();

      const customer = await user.customer();
      for (const event of customer === '' ? [] : await eventsOf(customer, roll))
        await simulator.resend(event);
      await simulator.delivered();
      const { updatedAt: __, ...later } = (await user.record()) ?? {};
      expect(later).toEqual(repaired);
      expect(await user.credits()).toEqual(credits);
      expect((await checkUser(deps, user.uid)).differences).toEqual([]);
    },
  );
});
