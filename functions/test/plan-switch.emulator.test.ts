import { PLAN } from '@extension-billing/contract/test/catalog';
import { describe, expect, it } from 'vitest';
import { firestore } from './app/emulated-user.ts';
import { provider } from './app/suite.ts';
import { aBuyer as aShopper } from './fixtures/buyer.ts';
import * as simulator from './fixtures/simulator.ts';

const stripe = provider();
const HOUR = 3_600;
const DAY = 24 * HOUR;

/** A buyer, and how the provider switches their plan (its Dashboard, its API or its portal). */
async function aBuyer() {
  const user = await aShopper();
  return {
    ...user,
    async switchTo(lookupKey: string, trialEnd?: 'now'): Promise<string | undefined> {
      const { data } = await stripe.prices.list({ lookup_keys: [lookupKey] });
      const subscription = await stripe.subscriptions.retrieve(await user.subscription());
      const switched = await stripe.subscriptions.update(subscription.id, {
        items: [{ id: subscription.items.data[0]?.id ?? '', price: data[0]?.id ?? '' }],
        proration_behavior: 'always_invoice',
        ...(trialEnd && { trial_end: trialEnd }),
        expand: ['latest_invoice'],
      });
      await simulator.delivered();
      const invoice = switched.latest_invoice;
      return typeof invoice === 'string' ? undefined : (invoice?.billing_reason ?? undefined);
    },
    /** Into the next period, whose invoice stays a draft for an hour. */
    async renew(): Promise<void> {
      await simulator.advance(31 * DAY);
      await simulator.advance(2 * HOUR);
      await simulator.delivered();
    },
    periodEnd: async () => {
      const snapshot = await firestore.doc(`customers/${user.uid}`).get();
      return snapshot.get('currentPeriodEnd').toMillis() / 1000;
    },
  };
}

describe('a trial that is ended now', () => {
  it('is paid, and brings the allowance of the period that begins', async () => {
    const user = await aBuyer();
    await user.buy(PLAN.metered);
    await simulator.delivered();
    await user.consume('demo_deep');
    await stripe.subscriptions.update(await user.subscription(), { trial_end: 'now' });
    await simulator.delivered();
    const { data } = await stripe.invoices.list({ subscription: await user.subscription() });
    expect(data.map(({ billing_reason, total }) => [billing_reason, total])).toEqual([
      ['subscription_update', 1900],
      ['subscription_create', 0],
    ]);
    expect(await user.credits()).toEqual({ allowance: 1000, packs: 0 });
  });
});

describe('a plan that is switched at the provider', () => {
  it('from monthly to yearly keeps who has paid, and shows the new plan and its end', async () => {
    const user = await aBuyer();
    await user.buy(PLAN.monthly);
    expect(await user.switchTo(PLAN.yearly, 'now')).toBe('subscription_update');
    expect(await user.record()).toMatchObject({ paid: true, plan: PLAN.yearly, status: 'active' });
    const subscription = await stripe.subscriptions.retrieve(await user.subscription());
    expect(await user.periodEnd()).toBe(subscription.items.data[0]?.current_period_end);
    const { data } = await stripe.invoices.list({ subscription: subscription.id });
    expect(data.map(({ billing_reason, total }) => [billing_reason, total])).toEqual([
      ['subscription_update', 9000],
      ['subscription_create', 0],
    ]);
  });

  it('away from the metered one into a period of its own ends the allowance with the period', async () => {
    const user = await aBuyer();
    await user.buy(PLAN.metered);
    await simulator.delivered();
    await user.consume('demo_deep');
    expect(await user.switchTo(PLAN.yearly, 'now')).toBe('subscription_update');
    expect(await user.record()).toMatchObject({ paid: true, plan: PLAN.yearly });
    expect(await user.credits()).toEqual({ allowance: 0, packs: 0 });
  });

  it('into the metered one, whose first period begins and is paid at once, brings its allowance', async () => {
    const user = await aBuyer();
    await user.buy(PLAN.yearly);
    expect(await user.switchTo(PLAN.metered, 'now')).toBe('subscription_update');
    expect(await user.record()).toMatchObject({ paid: true, plan: PLAN.metered });
    expect(await user.credits()).toEqual({ allowance: 1000, packs: 0 });
  });

  it('into the metered one brings its allowance at once, and away from it ends it with the period', async () => {
    const user = await aBuyer();
    await user.buy(PLAN.monthly);
    await simulator.advance(8 * DAY);
    await user.switchTo(PLAN.metered);
    expect(await user.credits()).toEqual({ allowance: 1000, packs: 0 });
    await user.renew();
    expect(await user.credits()).toEqual({ allowance: 1000, packs: 0 });
    await user.switchTo(PLAN.monthly);
    expect(await user.credits()).toEqual({ allowance: 1000, packs: 0 });
    await user.renew();
    expect(await user.record()).toMatchObject({ paid: true, plan: PLAN.monthly });
    expect(await user.credits()).toEqual({ allowance: 0, packs: 0 });
  });
});
