import { PACK, PLAN } from '@extension-billing/contract/test/catalog';
import { describe, expect, it } from 'vitest';
import { post, provider, servers } from './app/suite.ts';
import { aBuyer } from './fixtures/buyer.ts';
import * as simulator from './fixtures/simulator.ts';

const stripe = provider();
const HOUR = 3_600;
const DAY = 24 * HOUR;

/** A buyer of a plan whose trial is over, and how they change it. */
async function aSubscriber(plan: string, { inTrial = false } = {}) {
  const user = await aBuyer();
  await user.buy(plan);
  await simulator.delivered();
  const id = await user.subscription();
  if (!inTrial) await stripe.subscriptions.update(id, { trial_end: 'now' });
  await simulator.delivered();
  const change = (lookupKey: string) =>
    post(`${servers['direct server']}/billing/change`, JSON.stringify({ lookup_key: lookupKey }), {
      authorization: `Bearer ${user.idToken}`,
    });
  return {
    ...user,
    id,
    change,
    /** Presses the button on the provider's page. */
    async changeTo(lookupKey: string): Promise<string> {
      const { body } = await change(lookupKey);
      const url = String(body.url);
      const page = await (await fetch(url)).text();
      const confirmed = new URLSearchParams({ action: 'confirm' });
      const { status } = await fetch(url, { method: 'POST', redirect: 'manual', body: confirmed });
      await simulator.delivered();
      return `${status} ${/data-effect="(\w+)"/.exec(page)?.[1]}`;
    },
    /** Into the next period, whose invoice stays a draft for an hour. */
    async renew(): Promise<void> {
      await simulator.advance(31 * DAY);
      await simulator.advance(2 * HOUR);
      await simulator.delivered();
    },
    atProvider: () => stripe.subscriptions.retrieve(id),
  };
}

describe('an upgrade', () => {
  it('is made at once, for the difference', async () => {
    const user = await aSubscriber(PLAN.monthly);
    expect(await user.changeTo(PLAN.metered)).toBe('303 now');
    expect(await user.record()).toMatchObject({ plan: PLAN.metered, status: 'active' });
    const { data } = await stripe.invoices.list({ subscription: user.id });
    expect(data[0]).toMatchObject({ billing_reason: 'subscription_update', status: 'paid', total: 1000 });
    expect(await user.credits()).toEqual({ allowance: 1000, packs: 0 });
  });

  it('from a month to a year begins the year', async () => {
    const user = await aSubscriber(PLAN.monthly);
    expect(await user.changeTo(PLAN.yearly)).toBe('303 now');
    expect(await user.record()).toMatchObject({ plan: PLAN.yearly, cancelAtPeriodEnd: false });
  });

  it('changes nothing where the card refuses the difference', async () => {
    const user = await aSubscriber(PLAN.monthly);
    const card = await stripe.paymentMethods.create({
      type: 'card',
      card: { token: 'tok_chargeCustomerFail' },
    });
    await stripe.paymentMethods.attach(card.id, { customer: await user.customer() });
    await stripe.subscriptions.update(user.id, { default_payment_method: card.id });
    expect(await user.changeTo(PLAN.metered)).toBe('402 now');
    expect(await user.record()).toMatchObject({ plan: PLAN.monthly, status: 'active' });
    expect(await user.record()).not.toHaveProperty('creditsAllowance');
  });

  it('keeps what was spent spent, through the hour in which the renewal is a draft', async () => {
    const user = await aSubscriber(PLAN.monthly);
    await user.changeTo(PLAN.metered);
    await user.consume('demo_deep');
    const [item] = (await user.atProvider()).items.data;
    await simulator.advance((item?.current_period_end ?? 0) - (item?.current_period_start ?? 0));
    await simulator.delivered();
    expect(await user.credits()).toEqual({ allowance: 995, packs: 0 });
    await simulator.advance(2 * HOUR);
    await simulator.delivered();
    expect(await user.credits()).toEqual({ allowance: 1000, packs: 0 });
  });

  it('leaves a trial running', async () => {
    const user = await aSubscriber(PLAN.monthly, { inTrial: true });
    expect(await user.changeTo(PLAN.metered)).toBe('303 trial');
    expect(await user.record()).toMatchObject({ plan: PLAN.metered, status: 'trialing' });
    expect(await user.credits()).toEqual({ allowance: 1000, packs: 0 });
  });
});

describe('a downgrade', () => {
  it('waits for the period’s end, and the record says what for and when', async () => {
    const user = await aSubscriber(PLAN.metered);
    expect(await user.changeTo(PLAN.monthly)).toBe('303 later');
    const before = await user.record();
    expect(before).toMatchObject({
      plan: PLAN.metered,
      plannedChange: { plan: PLAN.monthly },
    });
    expect(before?.plannedChange.at).toEqual(before?.currentPeriodEnd);
    expect(await user.credits()).toEqual({ allowance: 1000, packs: 0 });
    await user.renew();
    const after = await user.record();
    expect(after).toMatchObject({ plan: PLAN.monthly, status: 'active' });
    expect(after).not.toHaveProperty('plannedChange');
    expect(await user.credits()).toEqual({ allowance: 0, packs: 0 });
  });

  it('is taken back by the key of the plan that runs, with nothing to confirm', async () => {
    const user = await aSubscriber(PLAN.metered);
    await user.changeTo(PLAN.monthly);
    expect((await user.change(PLAN.yearly)).body).toMatchObject({ code: 'change_planned' });
    expect(await user.change(PLAN.metered)).toMatchObject({ status: 200, body: { url: null } });
    await simulator.delivered();
    expect(await user.record()).not.toHaveProperty('plannedChange');
    expect(await user.atProvider()).toMatchObject({ schedule: null });
    expect(await user.change(PLAN.metered)).toMatchObject({
      status: 409,
      body: { code: 'already_on_plan' },
    });
  });

  it('that is planned does not keep a lifetime plan from ending the subscription', async () => {
    const user = await aSubscriber(PLAN.metered);
    await user.changeTo(PLAN.monthly);
    await user.buy(PLAN.lifetime);
    await simulator.delivered();
    expect(await user.atProvider()).toMatchObject({ schedule: null, cancel_at_period_end: true });
    const record = await user.record();
    expect(record).toMatchObject({
      plan: PLAN.lifetime,
      runningSubscription: { cancelAtPeriodEnd: true },
    });
    expect(record).not.toHaveProperty('plannedChange');
    expect(await user.change(PLAN.yearly)).toMatchObject({
      status: 409,
      body: { code: 'already_owned' },
    });
  });
});

describe('what cannot be changed', () => {
  it('is refused with the way on', async () => {
    const user = await aSubscriber(PLAN.monthly);
    const codeOf = async (key: string) => (await user.change(key)).body.code;
    expect(await codeOf('nothing_of_the_kind')).toBe('unknown_lookup_key');
    expect(await codeOf(PLAN.monthly)).toBe('already_on_plan');
    expect(await codeOf(PLAN.lifetime)).toBe('checkout_required');
    expect(await codeOf(PACK.small)).toBe('checkout_required');
    await stripe.subscriptions.update(user.id, { cancel_at_period_end: true });
    expect(await codeOf(PLAN.yearly)).toBe('portal_required');
    await stripe.subscriptions.cancel(user.id);
    expect(await codeOf(PLAN.yearly)).toBe('no_subscription');
  });
});
