import { defineCatalog } from '@extension-billing/contract/define-catalog';
import { testInput } from '@extension-billing/contract/test/catalog';
import { describe, expect, it } from 'vitest';
import { seedCatalog } from '../../packages/cli/src/stripe/catalog.ts';
import { aConfig } from './app/config.ts';
import { auth, firestore } from './app/emulated-user.ts';
import { serveApp } from './app/serve-app.ts';
import { post, provider } from './app/suite.ts';
import { aUser, requestsTo } from './fixtures/service.ts';
import * as simulator from './fixtures/simulator.ts';

const stripe = provider();
const DAY = 86_400;

/** What the suite's own function does not sell: it reads the terms from what was sold. */
const catalog = defineCatalog({
  ...testInput,
  plans: {
    writer_yearly: {
      ...{ kind: 'subscription', interval: 'year', amount: 19_000, currency: 'usd', trial: false },
      credits: { amount: 1000, every: 'month', rollover: 100, limits: [{ amount: 990, every: 'day' }] },
    },
    writer_for_good: {
      ...{ kind: 'lifetime', amount: 49_000, currency: 'usd' },
      credits: { amount: 300, every: 'month' },
    },
  },
  packs: { pages_of_spring: { amount: 300, currency: 'usd', credits: 50, expiresAfterDays: 90 } },
});

/** Signs in for as long as the test's years take. */
const patientAuth: typeof auth = Object.assign(Object.create(auth), {
  verifyIdToken: async (token: string) => ({ ...(await auth.verifyIdToken(token)), exp: 9_999_999_999 }),
});

/** Milliseconds that the simulator's clock is ahead: others have moved it, too. */
let ahead = 0;

async function move(seconds: number): Promise<void> {
  const { now } = await simulator.advance(seconds);
  ahead = Number(now) * 1000 - Date.now();
}

/** A buyer of such offers, on a service whose clock is the simulator's. */
async function aBuyer() {
  await seedCatalog(stripe, catalog);
  await move(1);
  const base = await serveApp({
    ...{ firestore, auth: patientAuth, stripe: async () => stripe, catalog: () => catalog },
    config: aConfig({ project: process.env.GCLOUD_PROJECT ?? null }),
    now: () => Date.now() + ahead,
  });
  const user = await aUser();
  const authorization = `Bearer ${user.idToken}`;
  return {
    ...user,
    ...requestsTo(base, user.idToken),
    async buy(lookup_key: string): Promise<void> {
      const body = JSON.stringify({ lookup_key });
      const checkout = await post(`${base}/billing/checkout`, body, { authorization });
      await simulator.pay(String(checkout.body.sessionId));
      await simulator.delivered();
    },
    async passes(seconds: number): Promise<void> {
      await move(seconds);
      await simulator.delivered();
    },
  };
}

describe('credits by the clock, through a year of the simulator', () => {
  it('come each month of a yearly plan, with what is carried over, and go on with its renewal', async () => {
    const user = await aBuyer();
    await user.buy('writer_yearly');
    expect(await user.credits()).toEqual({ allowance: 1000, packs: 0 });
    expect(await user.record()).toMatchObject({ schemaVersion: 2, monthlyCredits: 1000 });
    for (let month = 1; month <= 11; month += 1) {
      await user.passes(31 * DAY);
      expect(await user.balance()).toEqual({ balance: 990, allowance: 990 });
      expect((await user.consume('demo_deep')).body).toMatchObject({ ok: true, balance: 985 });
      expect(await user.credits()).toEqual({ allowance: 1095, packs: 0 });
    }
    await user.passes(31 * DAY);
    // The renewal's invoice stays a draft for an hour.
    await user.passes(7_200);
    const { data } = await stripe.invoices.list({ customer: String((await user.record())?.customerId) });
    expect(data).toHaveLength(2);
    expect((await user.consume('demo_deep')).body).toMatchObject({ ok: true, balance: 985 });
    const kinds = [...(await user.ledger()).values()].map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'allowance')).toHaveLength(2);
    await user.credits();
  });

  it('come for good with a lifetime plan, beside a pack that ends', async () => {
    const user = await aBuyer();
    await user.buy('writer_for_good');
    await user.buy('pages_of_spring');
    expect(await user.credits()).toEqual({ allowance: 300, packs: 50 });
    await user.consume('demo_deep');
    await user.passes(92 * DAY);
    expect(await user.balance()).toEqual({ balance: 300, allowance: 300 });
    expect((await user.consume('demo_deep')).body).toMatchObject({ balance: 295 });
    expect(await user.credits()).toEqual({ allowance: 295, packs: 0 });
    await user.passes(700 * DAY);
    expect(await user.balance()).toEqual({ balance: 300, allowance: 300 });
  });
});
