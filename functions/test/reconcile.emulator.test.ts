import { PACK, PLAN, testCatalog } from '@extension-billing/contract/test/catalog';
import type { Stripe } from 'stripe';
import { describe, expect, it } from 'vitest';

import { grantByHand } from '../src/events/grants.ts';
import { byFacts, byRecord } from '../src/reconcile/by-account.ts';
import { byEvent } from '../src/reconcile/by-event.ts';
import { bySubscription } from '../src/reconcile/by-subscription.ts';
import { COMPARISON, checkDaily } from '../src/reconcile/daily.ts';
import { type CheckDeps, checkUser, repairUser } from '../src/reconcile/user.ts';
import { takeJob } from '../src/store/jobs.ts';
import { aConfig } from './app/config.ts';
import { auth, firestore } from './app/emulated-user.ts';
import { keptLog } from './app/serve-app.ts';
import { provider } from './app/suite.ts';
import { aBuyer as aShopper } from './fixtures/buyer.ts';
import { passThrough } from './fixtures/pass.ts';
import * as simulator from './fixtures/simulator.ts';

const stripe = provider();
const log = keptLog();
const deps: CheckDeps = {
  firestore,
  auth,
  stripe: async () => stripe,
  now: () => Date.now(),
  log,
  config: aConfig(),
  catalog: () => testCatalog,
};

/** A buyer, and what a comparison and a repair make of them. */
async function aBuyer() {
  const user = await aShopper();
  return {
    ...user,
    differences: async () => (await checkUser(deps, user.uid)).differences,
    repair: () => repairUser(deps, user.uid),
  };
}

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

describe('what the provider could not deliver', () => {
  it('is listed until it is replayed, through the webhook’s own path', async () => {
    const user = await aBuyer();
    await simulator.whileEventsAreLost(() => user.buy(PACK.small));
    const dry = await passThrough(byEvent, deps, { apply: false });
    expect(dry.undelivered.found).toBeGreaterThan(0);
    expect(await user.record()).toBeUndefined();
    expect((await passThrough(byEvent, deps)).undelivered.applied).toBeGreaterThan(0);
    expect(await user.credits()).toEqual({ allowance: 0, packs: 100 });
    expect((await passThrough(byEvent, deps)).undelivered.found).toBe(0);
  });
});

/** A look that begins at the start, whatever a run before it has done. */
async function checkAll() {
  await firestore.doc('billing_jobs/reconcile').delete();
  const summary = await checkDaily(deps);
  if (summary === null) throw new Error('another process is at it');
  return summary;
}

describe('the daily check', () => {
  it('repairs, logs one summary, warns when something differed and names nobody', async () => {
    const user = await aBuyer();
    await user.buy(PACK.small);
    await simulator.delivered();
    await auth.setCustomUserClaims(user.uid, { paid: true });
    log.lines.length = 0;
    const summary = await checkAll();
    expect(summary.byKind.claim).toBeGreaterThanOrEqual(1);
    expect(log.lines.filter(({ event }) => event === 'reconcile_summary')).toEqual([
      expect.objectContaining({
        severity: 'warn',
        fields: expect.objectContaining({ users: summary.users, differing: summary.differing, failed: 0 }),
      }),
    ]);
    expect(JSON.stringify(log.lines)).not.toContain(user.uid);
    expect(await user.paidClaim()).toBe(false);
    expect(await user.differences()).toEqual([]);

    // An hour later only events are due, and where all is well that is no warning.
    log.lines.length = 0;
    const hour = 60 * 60 * 1000;
    const later = await checkDaily({ ...deps, now: () => Date.now() + hour });
    expect(later).toMatchObject({ finished: true, users: 0, behindHours: 0 });
    expect(Object.keys(later?.seen ?? {})).toEqual(['events']);
    expect(log.lines.at(-1)).toMatchObject({ event: 'reconcile_summary', severity: 'info' });
  });

  it('does nothing while another process is at it', async () => {
    const held = await takeJob(firestore, COMPARISON, deps.now);
    expect(await checkDaily(deps)).toBeNull();
    await held?.release();
  });

  it('goes on where the time ended, and says so without a warning', async () => {
    await checkAll();
    await firestore.doc('billing_jobs/reconcile').delete();
    const begun = Date.now();
    let asked = 0;
    // Each look at the clock takes a minute.
    const slow = { ...deps, now: () => begun + asked++ * 60_000 };
    log.lines.length = 0;
    const first = await checkDaily(slow);
    expect(first).toMatchObject({ finished: false });
    expect(log.lines.at(-1)).toMatchObject({ severity: 'info', fields: { finished: false, differing: 0 } });
    const rest = await checkDaily(deps);
    expect(rest).toMatchObject({ finished: true });
    const seen = (name: string) => (first?.seen[name] ?? 0) + (rest?.seen[name] ?? 0);
    const { count } = (await firestore.collection('provider_customers').count().get()).data();
    expect(seen('customers')).toBe(count);
  });

  it('ends a plan whose end was lost', async () => {
    const user = await aBuyer();
    await user.buy(PLAN.metered);
    await simulator.delivered();
    const subscription = await user.subscription();
    await simulator.whileEventsAreLost(() => stripe.subscriptions.cancel(subscription));
    expect(await user.record()).toMatchObject({ paid: true });
    await checkAll();
    expect(await user.record()).toMatchObject({ paid: false, status: 'canceled', creditsAllowance: 0 });
    expect(await user.paidClaim()).toBe(false);
  });

  it('finds who has changed by the list of subscriptions, and looks at nobody else', async () => {
    const [changed, other] = [await aBuyer(), await aBuyer()];
    for (const user of [changed, other]) await user.buy(PLAN.metered);
    await simulator.delivered();
    await passThrough(bySubscription, deps);
    await simulator.whileEventsAreLost(async () => simulator.cancel(await changed.subscription(), true));
    const found: string[] = [];
    const { users } = await passThrough(bySubscription, deps, { onDifferent: (uid) => found.push(uid) });
    expect(found).toEqual([changed.uid]);
    expect(users).toBe(1);
    expect(await changed.record()).toMatchObject({ cancelAtPeriodEnd: true });
  });

  it('finds by the store alone a record, a ledger and a claim that are not as they should be', async () => {
    const [spent, claimed, free, given] = [await aBuyer(), await aBuyer(), await aBuyer(), await aBuyer()];
    for (const user of [spent, claimed]) await user.buy(PACK.small);
    await simulator.delivered();
    const terms = { credits: 30, ends: null, entitlement: null, until: null };
    const act = { actor: `person:${given.uid}`, reason: 'a test', key: 'one', ...terms };
    await grantByHand(deps, given.uid, act, aConfig().grantLimits);
    await passThrough(byFacts, deps);
    await firestore.doc(`customers/${spent.uid}`).update({ packCreditsRemaining: 7, creditsRemaining: 7 });
    await auth.setCustomUserClaims(claimed.uid, { paid: true });
    const found: string[] = [];
    const { users } = await passThrough(byFacts, deps, { onDifferent: (uid) => found.push(uid) });
    expect(found.toSorted()).toEqual([spent.uid, claimed.uid].toSorted());
    expect(users).toBe(2);
    expect(await claimed.paidClaim()).toBe(false);

    // Nothing wrote the record since, and no customer leads to a look at the whole.
    const [entry] = [...(await given.ledger()).keys()];
    await firestore.doc(`customers/${given.uid}/credit_ledger/${entry}`).delete();
    const later = Date.now() + 60_000;
    await passThrough(byFacts, deps, { onDifferent: (uid) => found.push(uid) }, later);
    expect(found.slice(2)).toEqual([given.uid]);

    await firestore.doc(`customers/${free.uid}`).set({ paid: false, updatedAt: new Date() });
    await auth.setCustomUserClaims(free.uid, { paid: true });
    await passThrough(byRecord, deps, { onDifferent: (uid) => found.push(uid) });
    expect(found.at(-1)).toBe(free.uid);
    expect(await free.paidClaim()).toBe(false);
  });

  it('finds what the customer of a record from elsewhere bought, which nothing else leads to', async () => {
    const user = await aBuyer();
    await simulator.whileEventsAreLost(() => user.buy(PACK.small));
    const customerId = await user.customer();
    await firestore.doc(`provider_customers/${customerId}`).delete();
    await firestore.doc(`billing_facts/${user.uid}`).delete();
    await firestore.doc(`customers/${user.uid}`).set({ paid: false, customerId });
    await passThrough(byRecord, deps);
    expect(await user.credits()).toEqual({ allowance: 0, packs: 100 });
    expect((await passThrough(byRecord, deps)).users).toBe(0);
  });
});
