import { PACK, PLAN } from '@extension-billing/contract/test/catalog';
import { describe, expect, it } from 'vitest';

import { grantByHand } from '../src/events/grants.ts';
import { byFacts, byRecord } from '../src/reconcile/by-account.ts';
import { byEvent } from '../src/reconcile/by-event.ts';
import { bySubscription } from '../src/reconcile/by-subscription.ts';
import { COMPARISON, checkDaily } from '../src/reconcile/daily.ts';
import { takeJob } from '../src/store/jobs.ts';
import { aConfig } from './app/config.ts';
import { auth, firestore } from './app/emulated-user.ts';
import { aBuyer, deps, log, stripe } from './fixtures/compared-buyer.ts';
import { passThrough } from './fixtures/pass.ts';
import * as simulator from './fixtures/simulator.ts';

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
    const owner = await firestore.doc(`provider_customers/${customerId}`).get();
    expect(owner.get('uid'), 'the next look finds nothing to do').toBe(user.uid);
  });
});
