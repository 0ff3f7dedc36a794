import { PLAN } from '@extension-billing/contract/test/catalog';
import { Stripe } from 'stripe';
import { describe, expect, it } from 'vitest';
import { checkDaily } from '../src/reconcile/daily.ts';
import { auth, firestore } from './app/emulated-user.ts';
import { providerError } from './app/fake-provider.ts';
import { keptLog, serveApp } from './app/serve-app.ts';
import { post } from './app/suite.ts';
import { lifetimeBought } from './factories/provider-events.ts';
import { aBuyer } from './fixtures/buyer.ts';
import { deps, log, stripe } from './fixtures/compared-buyer.ts';
import { signatureOf } from './fixtures/service.ts';
import * as simulator from './fixtures/simulator.ts';

/** A subscriber who buys a lifetime plan, and what the provider then has of the subscription. */
async function aSubscriber(plan: string = PLAN.monthly) {
  const user = await aBuyer();
  await user.buy(plan);
  await simulator.delivered();
  const id = await user.subscription();
  return { ...user, id, atProvider: () => stripe.subscriptions.retrieve(id) };
}

/** The service with a provider whose subscriptions do something else; answers its webhook's status. */
async function through(subscriptions: Partial<Stripe.SubscriptionResource>, event: object) {
  const log = keptLog();
  const wrapped = Object.assign(Object.create(stripe), {
    subscriptions: Object.assign(Object.create(stripe.subscriptions), subscriptions),
    webhooks: Stripe.webhooks,
  });
  const base = await serveApp({ firestore, auth, stripe: async () => wrapped, log });
  const body = JSON.stringify({ object: 'event', ...event });
  const answer = await post(`${base}/billing/webhook`, body, { 'stripe-signature': signatureOf(body) });
  return { status: answer.status, events: log.lines.map(({ event }) => event) };
}

describe('a lifetime plan that is bought beside a subscription', () => {
  it('ends a trial without a charge, shows until when, and shows nothing once it is over', async () => {
    const user = await aSubscriber(PLAN.metered);
    const { trial_end: end } = await user.atProvider();
    await user.buy(PLAN.lifetime);
    await simulator.delivered();
    expect(await user.atProvider()).toMatchObject({ status: 'trialing', cancel_at_period_end: true });
    const record = await user.record();
    expect(record).toMatchObject({
      paid: true,
      plan: PLAN.lifetime,
      runningSubscription: { plan: PLAN.metered, status: 'trialing', cancelAtPeriodEnd: true },
    });
    expect(record?.runningSubscription.currentPeriodEnd.seconds).toBe(end);
    expect(await user.credits()).toEqual({ allowance: 1000, packs: 0 });

    await stripe.subscriptions.cancel(user.id);
    await simulator.delivered();
    expect(await user.record()).toMatchObject({ paid: true, plan: PLAN.lifetime });
    expect(await user.record()).not.toHaveProperty('runningSubscription');
    const charges = await stripe.charges.list({ customer: await user.customer() });
    expect(charges.data.map(({ amount }) => amount)).toEqual([19_900]);
  });

  it('ends an active one with the period that is paid, once, also where it is resumed', async () => {
    const user = await aSubscriber();
    await stripe.subscriptions.update(user.id, { trial_end: 'now' });
    await user.buy(PLAN.lifetime);
    await simulator.delivered();
    expect(await user.atProvider()).toMatchObject({ status: 'active', cancel_at_period_end: true });
    await stripe.subscriptions.update(user.id, { cancel_at_period_end: false });
    await simulator.delivered();
    expect(await user.atProvider()).toMatchObject({ status: 'active', cancel_at_period_end: true });
    expect(await user.record()).toMatchObject({ runningSubscription: { cancelAtPeriodEnd: true } });
  });

  it('is retried by the provider where the subscription could not be ended, with the purchase applied once', async () => {
    const user = await aSubscriber();
    const event = lifetimeBought({ uid: user.uid, customer: await user.customer() });
    const down = async () => {
      throw providerError('StripeConnectionError');
    };
    expect((await through({ update: down as never }, event)).status).toBe(503);
    expect(await user.record()).toMatchObject({
      plan: PLAN.lifetime,
      runningSubscription: { cancelAtPeriodEnd: false },
    });
    expect(await user.paidClaim()).toBe(true);
    expect(await through({}, event)).toEqual({ status: 200, events: ['subscription_ended', 'webhook'] });
    expect(await user.atProvider()).toMatchObject({ cancel_at_period_end: true });
    await simulator.delivered();
    expect((await through({}, event)).events).toEqual(['webhook']);
  });

  it('ends one that is past due at once: nothing of it was paid, and its invoice would be charged', async () => {
    const user = await aSubscriber();
    const past = async () => ({ ...(await user.atProvider()), status: 'past_due' as const });
    const event = lifetimeBought({ uid: user.uid, customer: await user.customer() });
    await through({ update: past as never }, event);
    expect(await user.atProvider()).toMatchObject({ status: 'canceled' });
  });

  it('is looked at each day where the provider refused: it is ended then, and until then reported', async () => {
    const user = await aSubscriber();
    const refuse = async () => {
      throw providerError('StripeInvalidRequestError');
    };
    const event = lifetimeBought({ uid: user.uid, customer: await user.customer() });
    const refused = await through({ update: refuse as never }, event);
    expect(refused).toEqual({ status: 200, events: ['subscription_not_ended', 'webhook'] });

    await firestore.doc('billing_jobs/reconcile').delete();
    const summary = await checkDaily(deps);
    expect(summary?.byKind.subscription).toBeGreaterThanOrEqual(1);
    expect(log.lines).toContainEqual(
      expect.objectContaining({
        event: 'subscription_ended',
        fields: { subscription: user.id, how: 'at_period_end' },
      }),
    );
    expect(await user.atProvider()).toMatchObject({ cancel_at_period_end: true });
  });
});
