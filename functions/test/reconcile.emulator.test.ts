import { PACK, PLAN } from '@extension-billing/contract/test/catalog';
import type { Stripe } from 'stripe';
import { describe, expect, it } from 'vitest';

import { byEvent } from '../src/reconcile/by-event.ts';
import { auth, firestore } from './app/emulated-user.ts';
import { aBuyer, deps, stripe } from './fixtures/compared-buyer.ts';
import { passThrough } from './fixtures/pass.ts';
import * as simulator from './fixtures/simulator.ts';

const kinds = (differences: readonly { kind: string }[]) => differences.map(({ kind }) => kind);

describe('a user whose events were all lost', () => {
  it('is found, and brought to the provider’s present state, claim and ledger included', async () => {
    const user = await aBuyer();
    await simulator.whileEventsAreLost(async () => {
      await user.buy(PLAN.metered);
      await user.buy(PACK.small);
    });
    expect(await user.record()).toBeUndefined();
    const { before, after } = await user.repair();
    expect(kinds(before.differences)).toEqual(['subscription', 'purchase', 'allowance']);
    expect(after.differences).toEqual([]);
    expect(await user.record()).toMatchObject({
      paid: true,
      plan: PLAN.metered,
      status: 'trialing',
      trialUsed: true,
      customerId: await user.customer(),
    });
    expect(await user.credits()).toEqual({ allowance: 1000, packs: 100 });
    expect(await user.paidClaim()).toBe(true);
  });

  it('gets nothing twice when the lost events arrive after all', async () => {
    const user = await aBuyer();
    await simulator.whileEventsAreLost(async () => {
      await user.buy(PLAN.metered);
      await user.buy(PACK.small);
    });
    await user.repair();
    await user.consume('demo_deep');
    const { undelivered } = await passThrough(byEvent, deps);
    expect(undelivered.failed).toBe(0);
    expect(await user.credits()).toEqual({ allowance: 995, packs: 100 });
    expect(await user.differences()).toEqual([]);
  });
});

describe('a metered subscription that came and went unheard', () => {
  it('leaves the account as its events would: without credits, which were in use', async () => {
    const user = await aBuyer();
    await simulator.whileEventsAreLost(async () => {
      await user.buy(PLAN.metered);
      await simulator.cancel(await user.subscription(), false);
    });
    await user.repair();
    expect(await user.record()).toMatchObject({ paid: false, trialUsed: true, creditsRemaining: 0 });
    expect((await user.consume()).status).toBe(402);
  });
});

describe('a comparison', () => {
  it('finds nothing where every event arrived', async () => {
    const user = await aBuyer();
    await user.buy(PLAN.metered);
    await user.buy(PACK.small);
    await simulator.refund((await user.charge()).paymentIntent, 150);
    await user.buy(PLAN.lifetime);
    await simulator.delivered();
    expect(await user.differences()).toEqual([]);
  });

  it('writes nothing', async () => {
    const user = await aBuyer();
    await user.buy(PACK.small);
    await simulator.delivered();
    await simulator.whileEventsAreLost(() => user.buy(PACK.large));
    const versions = async () => {
      const snapshots = await firestore.getAll(
        firestore.doc(`customers/${user.uid}`),
        firestore.doc(`billing_facts/${user.uid}`),
      );
      return snapshots.map(({ updateTime }) => updateTime?.toMillis());
    };
    const before = await versions();
    expect(kinds(await user.differences())).toEqual(['purchase']);
    expect(await versions()).toEqual(before);
  });
});

describe('a repair', () => {
  it('holds against an older event that was lost and arrives late', async () => {
    const user = await aBuyer();
    await user.buy(PLAN.monthly);
    await simulator.delivered();
    const subscription = await user.subscription();
    await simulator.advance(60);
    await simulator.whileEventsAreLost(async () => {
      await simulator.cancel(subscription, true);
      await stripe.subscriptions.update(subscription, { cancel_at_period_end: false, trial_end: 'now' });
    });
    await user.repair();
    const repaired = await user.record();
    expect(repaired).toMatchObject({ status: 'active', cancelAtPeriodEnd: false });
    const { data } = await stripe.events.list({ type: 'customer.subscription.updated', limit: 100 });
    const cancelled = data.find((event) => {
      const { id, cancel_at } = event.data.object as Stripe.Subscription;
      return id === subscription && cancel_at !== null;
    });
    await simulator.resend(cancelled?.id ?? 'the cancellation');
    await simulator.delivered();
    expect(await user.record()).toMatchObject({ status: 'active', cancelAtPeriodEnd: false });
    expect((await firestore.doc(`billing_events/${cancelled?.id}`).get()).exists).toBe(true);
  });

  it('of a lost end drops the allowance and keeps the packs', async () => {
    const user = await aBuyer();
    await user.buy(PLAN.metered);
    await user.buy(PACK.small);
    await simulator.delivered();
    await simulator.whileEventsAreLost(async () => simulator.cancel(await user.subscription(), false));
    await user.repair();
    expect(await user.record()).toMatchObject({ paid: false, plan: null, status: 'canceled' });
    expect(await user.credits()).toEqual({ allowance: 0, packs: 100 });
    expect(await user.paidClaim()).toBe(false);
  });

  it('follows events that come after it', async () => {
    const user = await aBuyer();
    await simulator.whileEventsAreLost(() => user.buy(PLAN.monthly));
    await user.repair();
    await simulator.cancel(await user.subscription(), true);
    await simulator.delivered();
    expect(await user.record()).toMatchObject({ cancelAtPeriodEnd: true });
    await simulator.cancel(await user.subscription(), false);
    await simulator.delivered();
    expect(await user.record()).toMatchObject({ paid: false, status: 'canceled' });
    expect(await user.differences()).toEqual([]);
  });

  it('of lost refunds claws back what the provider gave back, once', async () => {
    const user = await aBuyer();
    await user.buy(PACK.small);
    await simulator.delivered();
    const { paymentIntent } = await user.charge();
    await simulator.refund(paymentIntent, 50);
    await simulator.delivered();
    await simulator.whileEventsAreLost(() => simulator.refund(paymentIntent, 100));
    const { before, after } = await user.repair();
    expect([kinds(before.differences), after.differences]).toEqual([['purchase'], []]);
    const { body } = await user.consume('demo');
    await passThrough(byEvent, deps);
    expect((await user.credits()).packs).toBe(body.balance);
  });

  it('of a refund that failed unheard gives the credits back', async () => {
    const user = await aBuyer();
    await user.buy(PACK.small, '4000000000005126');
    await simulator.refund((await user.charge()).paymentIntent);
    await simulator.delivered();
    expect(await user.credits()).toEqual({ allowance: 0, packs: 0 });
    await simulator.whileEventsAreLost(() => simulator.advance(3600));
    await user.repair();
    expect(await user.credits()).toEqual({ allowance: 0, packs: 100 });
    await passThrough(byEvent, deps);
    expect(await user.credits()).toEqual({ allowance: 0, packs: 100 });
    expect(await user.differences()).toEqual([]);
  });

  it.each([
    ['lost', { allowance: 0, packs: 0 }],
    ['won', { allowance: 0, packs: 100 }],
  ] as const)('of a dispute that was opened and %s unheard', async (outcome, credits) => {
    const user = await aBuyer();
    await user.buy(PACK.small);
    await simulator.delivered();
    await simulator.whileEventsAreLost(async () => simulator.dispute((await user.charge()).id, outcome));
    await user.repair();
    expect(await user.credits()).toEqual(credits);
    expect(await user.differences()).toEqual([]);
  });

  it('of a dispute on a subscription that was lost unheard', async () => {
    const user = await aBuyer();
    await user.buy(PLAN.metered);
    await stripe.subscriptions.update(await user.subscription(), { trial_end: 'now' });
    await simulator.delivered();
    expect(await user.credits()).toEqual({ allowance: 1000, packs: 0 });
    await simulator.whileEventsAreLost(async () => simulator.dispute((await user.charge()).id, 'lost'));
    await user.repair();
    expect(await user.credits()).toEqual({ allowance: 0, packs: 0 });
    expect(await user.record()).toMatchObject({ paid: false, status: 'active' });
    expect(await user.differences()).toEqual([]);
  });

  it('of a customer who was deleted at the provider', async () => {
    const user = await aBuyer();
    await user.buy(PLAN.metered);
    await simulator.delivered();
    const customer = await user.customer();
    await simulator.whileEventsAreLost(() => stripe.customers.del(customer));
    const { after } = await user.repair();
    expect(after.differences).toEqual([]);
    expect(await user.record()).toMatchObject({ paid: false, status: 'canceled', customerId: null });
  });

  it('brings a record that someone changed by hand back to the facts', async () => {
    const user = await aBuyer();
    await user.buy(PACK.small);
    await simulator.delivered();
    await firestore.doc(`customers/${user.uid}`).update({
      paid: true,
      plan: PLAN.lifetime,
      packCreditsRemaining: 9_000,
      creditsRemaining: 9_000,
    });
    expect(kinds(await user.differences())).toContain('record');
    await user.repair();
    expect(await user.record()).toMatchObject({ paid: false, plan: null });
    expect(await user.credits()).toEqual({ allowance: 0, packs: 100 });
  });

  it('brings a ledger that lost an entry back to the record, and says so in it', async () => {
    const user = await aBuyer();
    await user.buy(PACK.small);
    await simulator.delivered();
    await user.consume('demo_deep', 'lost-entry');
    await firestore.doc(`customers/${user.uid}/credit_ledger/consume_lost-entry`).delete();
    expect(kinds(await user.differences())).toEqual(['ledger']);
    await user.repair();
    expect(await user.credits()).toEqual({ allowance: 0, packs: 95 });
    expect([...(await user.ledger()).values()]).toContainEqual(
      expect.objectContaining({ kind: 'correction', deltaPack: -5, packCredits: 95 }),
    );
  });

  it('sets a claim that does not follow the record', async () => {
    const user = await aBuyer();
    await user.buy(PLAN.lifetime);
    await simulator.delivered();
    await auth.setCustomUserClaims(user.uid, { role: 'editor' });
    expect(kinds(await user.differences())).toEqual(['claim']);
    await user.repair();
    expect((await auth.getUser(user.uid)).customClaims).toEqual({ role: 'editor', paid: true });
  });

  it('leaves to a person what the provider does not know', async () => {
    const user = await aBuyer();
    await user.buy(PACK.small);
    await simulator.delivered();
    const facts = firestore.doc(`billing_facts/${user.uid}`);
    const purchases: Record<string, object> = (await facts.get()).get('facts.purchases');
    const [purchase] = Object.values(purchases);
    await facts.update({ 'facts.purchases.pi_from_nowhere': purchase });
    const { after } = await user.repair();
    expect(after.differences).toMatchObject([
      { kind: 'purchase', about: 'pi_from_nowhere', repair: { kind: 'none' } },
    ]);
  });

  it('is a no-op the second time', async () => {
    const user = await aBuyer();
    await simulator.whileEventsAreLost(() => user.buy(PLAN.metered));
    await user.repair();
    const [record, ledger] = [await user.record(), await user.ledger()];
    const { before } = await user.repair();
    expect(before.differences).toEqual([]);
    expect([await user.record(), await user.ledger()]).toEqual([record, ledger]);
  });
});

describe('a repair while other things happen', () => {
  it('is safe beside the webhooks that it overtakes, and beside consumes and another repair', async () => {
    const user = await aBuyer();
    await user.buy(PACK.small);
    await simulator.delivered();
    await simulator.whileEventsAreHeld(async () => {
      await user.buy(PLAN.metered);
      await simulator.cancel(await user.subscription(), true);
      await simulator.refund(
        (await stripe.charges.list({ customer: await user.customer() })).data.at(-1)
          ?.payment_intent as string,
        100,
      );
    });
    const spends = Promise.all(Array.from({ length: 20 }, () => user.consume('demo')));
    await Promise.all([user.repair(), user.repair(), simulator.delivered(), spends]);
    await user.repair();
    const spent = (await spends).filter(({ status }) => status === 200).length;
    expect(spent).toBe(20);
    expect(await user.differences()).toEqual([]);
    expect(await user.record()).toMatchObject({ status: 'trialing', cancelAtPeriodEnd: true });
    const { allowance, packs } = await user.credits();
    expect(allowance + packs).toBe(1000 + 80 - 20);
  });
});
