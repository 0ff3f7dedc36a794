import { randomUUID } from 'node:crypto';
import type { Catalog } from '@extension-billing/contract/catalog';
import { PACK, PLAN } from '@extension-billing/contract/test/catalog';
import {
  creditsOnly,
  hybridCredits,
  subscriptionOnly,
  withTiers,
} from '@extension-billing/contract/test/other-catalogs';
import { describe, expect, it } from 'vitest';
import { auth, firestore } from './app/emulated-user.ts';
import { serveApp } from './app/serve-app.ts';
import { post, provider } from './app/suite.ts';
import { aUser } from './fixtures/service.ts';
import * as simulator from './fixtures/simulator.ts';

const stripe = async () => provider();

/** A user of a service with another catalogue; what they buy is paid at the simulator. */
async function aUserOf(catalog: Catalog) {
  const base = await serveApp({ firestore, auth, stripe, catalog: () => catalog });
  const user = await aUser();
  const authorization = `Bearer ${user.idToken}`;
  const checkout = (lookupKey: string) =>
    post(`${base}/billing/checkout`, JSON.stringify({ lookup_key: lookupKey }), { authorization });
  return {
    ...user,
    checkout,
    consume: (feature: string) =>
      post(`${base}/credits/consume`, JSON.stringify({ feature }), {
        authorization,
        'idempotency-key': randomUUID(),
      }),
    async buy(lookupKey: string): Promise<void> {
      await simulator.pay(String((await checkout(lookupKey)).body.sessionId));
      await simulator.delivered();
    },
  };
}

const free = { status: 200, body: { ok: true, balance: null, allowance: null, packCredits: null, cost: 0 } };
const planRequired = { status: 403, body: { code: 'plan_required' } };

describe('hybrid-credits, with a feature behind each gate', () => {
  it('asks for a plan at the paywall, spends behind the meter, and never stops at no gate', async () => {
    const user = await aUserOf(hybridCredits);
    expect(await user.consume('report')).toMatchObject(planRequired);
    expect(await user.consume('hint')).toMatchObject(free);
    expect(await user.ledger()).toEqual(new Map());

    await user.buy(PLAN.metered);
    expect(await user.consume('demo')).toMatchObject({ status: 200, body: { balance: 999, cost: 1 } });
    const after = { status: 200, body: { balance: 999, allowance: 999, packCredits: 0, cost: 0 } };
    expect(await user.consume('report')).toMatchObject(after);
    expect(await user.consume('hint')).toMatchObject(after);
    expect(await user.credits()).toEqual({ allowance: 999, packs: 0 });
  });

  it('pack credits do not open the paywall, and no gate opens at a balance of 0', async () => {
    const user = await aUserOf(hybridCredits);
    await user.buy(PACK.small);
    expect(await user.consume('report')).toMatchObject(planRequired);
    await firestore.doc(`customers/${user.uid}`).update({ creditsRemaining: 0, packCreditsRemaining: 0 });
    expect(await user.consume('demo')).toMatchObject({ status: 402, body: { code: 'credits_exhausted' } });
    expect(await user.consume('hint')).toMatchObject({ status: 200, body: { balance: 0, cost: 0 } });
  });
});

describe('credits-only', () => {
  it('sells packs and no plan; features run free until the first pack, and spend from then on', async () => {
    const user = await aUserOf(creditsOnly);
    expect(await user.checkout(PLAN.monthly)).toMatchObject({
      status: 400,
      body: { code: 'unknown_lookup_key' },
    });
    expect(await user.consume('demo_deep')).toMatchObject(free);

    await user.buy(PACK.small);
    expect(await user.consume('demo_deep')).toMatchObject({ status: 200, body: { balance: 95, cost: 5 } });
    expect(await user.credits()).toEqual({ allowance: 0, packs: 95 });
    expect((await user.record())?.paid).toBe(false);
  });
});

describe('subscription only', () => {
  it('sells plans and no packs; its features come with the plan and never touch credits', async () => {
    const user = await aUserOf(subscriptionOnly);
    expect(await user.checkout(PACK.small)).toMatchObject({
      status: 400,
      body: { code: 'unknown_lookup_key' },
    });
    expect(await user.consume('demo_deep')).toMatchObject(planRequired);
    expect(await user.consume('demo')).toMatchObject(free);

    await user.buy(PLAN.yearly);
    expect(await user.consume('demo_deep')).toMatchObject(free);
    expect(await user.record()).not.toHaveProperty('creditsRemaining');
    expect(await user.ledger()).toEqual(new Map());
  });
});

describe('tiers', () => {
  it('are sold with a plan and kept, and a feature that needs one names it to whoever lacks it', async () => {
    const user = await aUserOf(withTiers);
    const needs = (entitlement: string) => ({ status: 403, body: { code: 'plan_required', entitlement } });
    expect(await user.consume('chat')).toMatchObject(needs('pro'));
    expect(await user.consume('notes')).toMatchObject(needs('basic'));

    // The service that is told by the provider knows no tiers: what was sold stands in the sale.
    await user.buy(PLAN.lifetime);
    expect(await user.record()).toMatchObject({ plan: PLAN.lifetime, entitlements: ['basic'] });
    expect(await user.consume('notes')).toMatchObject(free);
    expect(await user.consume('report')).toMatchObject(needs('pro'));
    expect(await user.checkout(PLAN.monthly)).toMatchObject({ status: 409, body: { code: 'already_owned' } });

    await user.buy(PLAN.metered);
    expect(await user.record()).toMatchObject({
      plan: PLAN.lifetime,
      entitlements: ['basic', 'pro'],
      runningSubscription: { plan: PLAN.metered, cancelAtPeriodEnd: false, goesOn: true },
    });
    expect((await auth.getUser(user.uid)).customClaims).toMatchObject({
      paid: true,
      entitlements: ['basic', 'pro'],
    });
    expect(await user.consume('chat')).toMatchObject({ status: 200, body: { balance: 998, cost: 2 } });
    expect(await user.consume('report')).toMatchObject({ status: 200, body: { balance: 998, cost: 0 } });
    expect(await user.checkout(PLAN.metered)).toMatchObject({
      status: 409,
      body: { code: 'already_subscribed' },
    });
  });
});
