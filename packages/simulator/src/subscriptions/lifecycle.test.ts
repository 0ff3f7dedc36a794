import type Stripe from 'stripe';
import { describe, expect, it, vi } from 'vitest';
import { type Bench, buyPlan, DAY, refusalOf, startBench } from '../../test/harness.ts';

const REFUSED_LATER = '4000000000000341';

describe('a trial', () => {
  it('announces its end three days before, then becomes active and is charged an hour later', async () => {
    const bench = await startBench();
    const { subscription } = await buyPlan(bench, { trialDays: 7 });
    await bench.control('clock/advance', { days: 4.1 });
    expect(await bench.eventTypes()).toContain('customer.subscription.trial_will_end');
    await bench.control('clock/advance', { to: (subscription.trial_end ?? 0) + 60 });
    expect(await bench.stripe.subscriptions.retrieve(subscription.id)).toMatchObject({ status: 'active' });
    const draft = await bench.stripe.invoices.list({ subscription: subscription.id, status: 'draft' });
    expect(draft.data).toHaveLength(1);
    expect(draft.data[0]).toMatchObject({ billing_reason: 'subscription_cycle', total: 1900 });
    await bench.control('clock/advance', { seconds: 3600 });
    const paid = await bench.stripe.invoices.retrieve(draft.data[0]?.id ?? '');
    expect(paid).toMatchObject({ status: 'paid', amount_paid: 1900 });
    expect(paid.lines.data[0]?.period.start).toBe(subscription.trial_end);
  });

  it('that is canceled ends without a charge', async () => {
    const bench = await startBench();
    const { subscription } = await buyPlan(bench, { trialDays: 7 });
    await bench.stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true });
    await bench.control('clock/advance', { days: 8 });
    const ended = await bench.stripe.subscriptions.retrieve(subscription.id);
    expect(ended).toMatchObject({ status: 'canceled', ended_at: subscription.trial_end });
    expect((await bench.stripe.charges.list()).data).toEqual([]);
  });
});

describe('renewals', () => {
  it('bill every month on the same day, each with its own period, when a year passes at once', async () => {
    const bench = await startBench();
    const { subscription } = await buyPlan(bench);
    await bench.control('clock/advance', { days: 366 });
    const { data } = await bench.stripe.invoices.list({ subscription: subscription.id, limit: 100 });
    expect(data).toHaveLength(13);
    const starts = data.map((invoice) => invoice.lines.data[0]?.period.start ?? 0).reverse();
    const days = new Set(starts.map((start) => new Date(start * 1000).getUTCDate()));
    expect(days.size).toBe(1);
    for (const [index, invoice] of [...data].reverse().entries()) {
      expect(invoice.status).toBe('paid');
      if (index > 0) expect(invoice.created).toBe(starts[index]);
    }
  });

  it('happen at the time they are due, not at the time the clock arrives', async () => {
    const bench = await startBench();
    const { subscription } = await buyPlan(bench);
    await bench.control('clock/advance', { days: 45 });
    const events = await bench.stripe.events.list({ type: 'invoice.paid' });
    const end = subscription.items.data[0]?.current_period_end ?? 0;
    expect(events.data[0]?.created).toBe(end + 3600);
  });

  it('keep the metadata snapshot of the day they were finalised', async () => {
    const bench = await startBench();
    const { subscription } = await buyPlan(bench, { metadata: { monthly_credits: '1000' } });
    await bench.stripe.subscriptions.update(subscription.id, { metadata: { monthly_credits: '2000' } });
    await bench.control('clock/advance', { days: 32 });
    const { data } = await bench.stripe.invoices.list({ subscription: subscription.id });
    const snapshots = data.map((invoice) => invoice.parent?.subscription_details?.metadata?.monthly_credits);
    expect(snapshots).toEqual(['2000', '1000']);
  });
});

describe('a card that is refused at renewal', () => {
  it('makes the subscription past due, is tried again, and recovers with a new card', async () => {
    const bench = await startBench();
    const { subscription, customer } = await buyPlan(bench);
    await bench.control(`customers/${customer}/card`, { card: REFUSED_LATER });
    await bench.control('clock/advance', { days: 32 });
    expect((await bench.stripe.subscriptions.retrieve(subscription.id)).status).toBe('past_due');
    expect(await bench.eventTypes()).toContain('invoice.payment_failed');
    await bench.control(`customers/${customer}/card`, { card: '4242424242424242' });
    await bench.control('clock/advance', { days: 3 });
    expect((await bench.stripe.subscriptions.retrieve(subscription.id)).status).toBe('active');
    const { data } = await bench.stripe.invoices.list({ subscription: subscription.id });
    expect(data[0]).toMatchObject({ status: 'paid', attempt_count: 2 });
  });

  it.each([
    ['cancel', 'canceled'],
    ['unpaid', 'unpaid'],
    ['past_due', 'past_due'],
  ] as const)('and never replaced ends as the policy "%s" says: %s', async (final, status) => {
    const bench = await startBench({ dunning: { retryDays: [3, 5], final } });
    const { subscription, customer } = await buyPlan(bench);
    await bench.control(`customers/${customer}/card`, { card: REFUSED_LATER });
    await bench.control('clock/advance', { days: 31 + 3 + 5 + 1 });
    expect((await bench.stripe.subscriptions.retrieve(subscription.id)).status).toBe(status);
    const open = await bench.stripe.invoices.list({ subscription: subscription.id, status: 'open' });
    expect(open.data[0]).toMatchObject({ attempt_count: 3, next_payment_attempt: null });
  });

  it('can be paid by hand, and makes the subscription active again', async () => {
    const bench = await startBench();
    const { subscription, customer } = await buyPlan(bench);
    await bench.control(`customers/${customer}/card`, { card: REFUSED_LATER });
    await bench.control('clock/advance', { days: 32 });
    const open = await bench.stripe.invoices.list({ subscription: subscription.id, status: 'open' });
    await bench.stripe.invoices.pay(open.data[0]?.id ?? '', { payment_method: 'pm_card_visa' });
    expect((await bench.stripe.subscriptions.retrieve(subscription.id)).status).toBe('active');
  });
});

it('announces a renewal’s invoice a week before, and a trial that is ended at once', async () => {
  const bench = await startBench();
  const { subscription } = await buyPlan(bench, { trialDays: 30 });
  await bench.stripe.subscriptions.update(subscription.id, { trial_end: 'now' });
  expect(await bench.eventTypes()).toContain('customer.subscription.trial_will_end');
  await bench.control('clock/advance', { days: 20 });
  expect(await bench.eventTypes()).not.toContain('invoice.upcoming');
  await bench.control('clock/advance', { days: 5 });
  const { data } = await bench.stripe.events.list({ type: 'invoice.upcoming' });
  expect(data.map((event) => event.data.object)).toMatchObject([
    { amount_due: 1900, billing_reason: 'upcoming', status: 'draft' },
  ]);
});

it('is listed without its customer only if it lives in no test clock', async () => {
  const { stripe, price } = await startBench();
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: 1_800_000_000 });
  const customer = await stripe.customers.create({
    test_clock: clock.id,
    payment_method: 'pm_card_visa',
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  });
  await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: (await price('club_monthly')).id }],
  });
  const count = async (filter: Stripe.SubscriptionListParams) =>
    (await stripe.subscriptions.list(filter)).data.length;
  expect(await count({})).toBe(0);
  expect(await count({ customer: customer.id })).toBe(1);
  expect(await count({ test_clock: clock.id })).toBe(1);
});

describe('cancelling', () => {
  it('at once ends the subscription with customer.subscription.deleted', async () => {
    const bench = await startBench();
    const { subscription } = await buyPlan(bench);
    const ended = await bench.stripe.subscriptions.cancel(subscription.id);
    expect(ended.status).toBe('canceled');
    expect(ended.ended_at).not.toBeNull();
    expect((await bench.eventTypes()).at(-1)).toBe('customer.subscription.deleted');
    expect((await bench.stripe.subscriptions.list({ customer: String(ended.customer) })).data).toEqual([]);
  });

  it('at period end sets the boolean and the time; the day it comes, it ends', async () => {
    const bench = await startBench();
    const { subscription } = await buyPlan(bench);
    const end = subscription.items.data[0]?.current_period_end ?? 0;
    const pending = await bench.stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true });
    expect(pending).toMatchObject({ status: 'active', cancel_at_period_end: true, cancel_at: end });
    await bench.control('clock/advance', { to: end + 1 });
    const ended = await bench.stripe.subscriptions.retrieve(subscription.id);
    expect(ended).toMatchObject({ status: 'canceled', ended_at: end });
    expect((await bench.stripe.invoices.list({ subscription: subscription.id })).data).toHaveLength(1);
  });

  it.each([
    ['create_prorations', 0],
    ['always_invoice', -450],
    ['none', 0],
  ] as const)('within the period gives back the rest: %s', async (proration_behavior, balance) => {
    const bench = await startBench();
    const { subscription, customer } = await buyPlan(bench, { lookupKey: 'club_monthly' });
    const [item] = subscription.items.data;
    const middle = ((item?.current_period_start ?? 0) + (item?.current_period_end ?? 0)) / 2;
    const cancel = { cancel_at: middle, proration_behavior };
    await bench.stripe.subscriptions.update(subscription.id, cancel);
    const waiting = async () =>
      (await bench.stripe.invoiceItems.list({ customer, pending: true })).data.map(({ amount }) => amount);
    expect(await waiting()).toEqual(proration_behavior === 'create_prorations' ? [-450] : []);
    expect(await bench.stripe.customers.retrieve(customer)).toMatchObject({ balance });
    await bench.stripe.subscriptions.update(subscription.id, { cancel_at: '' });
    expect(await waiting()).toEqual([]);
  });

  it('at a time of its own sets only that time', async () => {
    const bench = await startBench();
    const { subscription } = await buyPlan(bench);
    const at = subscription.created + 10 * DAY;
    const pending = await bench.stripe.subscriptions.update(subscription.id, { cancel_at: at });
    expect(pending).toMatchObject({ cancel_at_period_end: false, cancel_at: at });
    await bench.control('clock/advance', { days: 11 });
    expect((await bench.stripe.subscriptions.retrieve(subscription.id)).ended_at).toBe(at);
  });

  it.each([{ cancel_at_period_end: false }, { cancel_at: '' as const }])(
    'is taken back by %o',
    async (params) => {
      const bench = await startBench();
      const { subscription } = await buyPlan(bench);
      await bench.stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true });
      const kept = await bench.stripe.subscriptions.update(subscription.id, params);
      expect(kept).toMatchObject({ cancel_at: null, cancel_at_period_end: false, canceled_at: null });
      await bench.control('clock/advance', { days: 40 });
      expect((await bench.stripe.subscriptions.retrieve(subscription.id)).status).toBe('active');
    },
  );

  it('names what was there before in previous_attributes', async () => {
    const bench = await startBench();
    const { subscription } = await buyPlan(bench);
    await bench.stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true });
    const { data } = await bench.stripe.events.list({ type: 'customer.subscription.updated' });
    expect(data[0]?.data.previous_attributes).toMatchObject({ cancel_at: null, cancel_at_period_end: false });
  });
});

describe('a subscription made through the API', () => {
  it('is incomplete while its first invoice is refused, and expires after 23 hours', async () => {
    const bench = await startBench();
    const customer = await bench.stripe.customers.create({});
    const card = await bench.stripe.paymentMethods.attach('pm_card_chargeCustomerFail', {
      customer: customer.id,
    });
    const price = await bench.price('club_monthly');
    const subscription = await bench.stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: price.id }],
      default_payment_method: card.id,
    });
    expect(subscription.status).toBe('incomplete');
    await bench.control('clock/advance', { days: 1 });
    expect((await bench.stripe.subscriptions.retrieve(subscription.id)).status).toBe('incomplete_expired');
    const [invoice] = (await bench.stripe.invoices.list({ subscription: subscription.id })).data;
    expect(invoice?.status).toBe('void');
    const [event] = (await bench.stripe.events.list({ type: 'customer.subscription.updated' })).data;
    expect(event?.data.previous_attributes).toMatchObject({ status: 'incomplete', ended_at: null });
  });

  it.each([
    ['cancel_at_period_end', { cancel_at_period_end: true }, 31],
    ['cancel_at', { cancel_at: Math.floor(Date.now() / 1000) + 10 * DAY }, 10],
  ])('ends by itself where %s says so from the beginning', async (_name, params, days) => {
    const bench = await startBench();
    const customer = await bench.stripe.customers.create({
      payment_method: 'pm_card_visa',
      invoice_settings: { default_payment_method: 'pm_card_visa' },
    });
    const { id } = await bench.stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: 'price_club_monthly' }],
      ...params,
    });
    await bench.control('clock/advance', { days: days + 1 });
    expect((await bench.stripe.subscriptions.retrieve(id)).status).toBe('canceled');
    expect((await bench.stripe.invoices.list({ subscription: id })).data).toHaveLength(1);
  });

  it('is active when its card pays', async () => {
    const bench = await startBench();
    const customer = await bench.stripe.customers.create({
      payment_method: 'pm_card_visa',
      invoice_settings: { default_payment_method: 'pm_card_visa' },
    });
    const price = await bench.price('club_monthly');
    const subscription = await bench.stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: price.id }],
    });
    expect(subscription.status).toBe('active');
  });
});

const START = Date.UTC(2027, 0, 31, 12) / 1000;

async function onTestClock(bench: Bench, trialDays?: number) {
  const clock = await bench.stripe.testHelpers.testClocks.create({ frozen_time: START, name: 'test' });
  const customer = await bench.stripe.customers.create({ test_clock: clock.id, email: 'c@example.com' });
  const bought = await buyPlan(bench, {
    customer: customer.id,
    ...(trialDays === undefined ? {} : { trialDays }),
  });
  const advance = async (to: number) => {
    const answer = await bench.stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: to });
    await vi.waitFor(async () => {
      expect((await bench.stripe.testHelpers.testClocks.retrieve(clock.id)).status).toBe('ready');
    });
    return answer;
  };
  return { clock, advance, ...bought };
}

describe('a test clock', () => {
  it('gives its customers’ objects its own time', async () => {
    const bench = await startBench();
    const { subscription, customer } = await onTestClock(bench);
    expect(subscription.created).toBe(START);
    expect((await bench.stripe.customers.retrieve(customer)) as object).toMatchObject({ created: START });
    const events = await bench.stripe.events.list({ type: 'invoice.paid' });
    expect(events.data[0]?.created).toBe(START);
  });

  it('answers advancing, and is ready when all is billed', async () => {
    const bench = await startBench();
    const { advance, subscription } = await onTestClock(bench, 7);
    const answer = await advance(START + 8 * DAY);
    expect(answer).toMatchObject({ status: 'advancing', frozen_time: START });
    expect((await bench.stripe.subscriptions.retrieve(subscription.id)).status).toBe('active');
    expect((await bench.eventTypes()).filter((type) => type.startsWith('test_helpers'))).toEqual([
      'test_helpers.test_clock.created',
      'test_helpers.test_clock.advancing',
      'test_helpers.test_clock.ready',
    ]);
  });

  it('goes at most two intervals at a time, and only forward', async () => {
    const bench = await startBench();
    const { clock } = await onTestClock(bench);
    const advance = (to: number) =>
      refusalOf(bench.stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: to }));
    expect((await advance(START + 70 * DAY)).message).toContain('two intervals');
    expect((await advance(START - 1)).message).toContain('must be after the current frozen time');
  });

  it('bills a 31st on shorter months’ last day, and on the 31st again', async () => {
    const bench = await startBench();
    const { advance, subscription } = await onTestClock(bench);
    for (const [month, day] of [
      [1, 28],
      [2, 31],
      [3, 30],
    ] as const) {
      const at = Date.UTC(2027, month, day, 12) / 1000;
      await advance(at + 2 * 3600);
      const now = await bench.stripe.subscriptions.retrieve(subscription.id);
      expect(now.items.data[0]?.current_period_start).toBe(at);
    }
  });

  it('is not moved by the world’s clock, and the world is not moved by it', async () => {
    const bench = await startBench();
    const own = await onTestClock(bench);
    const other = await buyPlan(bench);
    await bench.control('clock/advance', { days: 40 });
    expect((await bench.stripe.invoices.list({ subscription: own.subscription.id })).data).toHaveLength(1);
    expect((await bench.stripe.invoices.list({ subscription: other.subscription.id })).data).toHaveLength(2);
    await own.advance(START + 30 * DAY);
    expect((await bench.stripe.invoices.list({ subscription: other.subscription.id })).data).toHaveLength(2);
  });

  it('takes its customers with it when it is deleted', async () => {
    const bench = await startBench();
    const { clock, customer } = await onTestClock(bench);
    await bench.stripe.testHelpers.testClocks.del(clock.id);
    expect(await bench.stripe.customers.retrieve(customer)).toMatchObject({ deleted: true });
    expect((await refusalOf(bench.stripe.testHelpers.testClocks.retrieve(clock.id))).statusCode).toBe(404);
  });
});

describe('the world’s clock', () => {
  it('moves on its own with the machine’s after an advance', async () => {
    const bench = await startBench();
    const { now } = await bench.control('clock/advance', { days: 3 });
    const ahead = Number(now) - Math.floor(Date.now() / 1000);
    expect(Math.abs(ahead - 3 * DAY)).toBeLessThanOrEqual(2);
    const created = (await bench.stripe.customers.create({})).created;
    expect(created).toBeGreaterThanOrEqual(Number(now));
  });

  it('advances 25 subscriptions by a year within seconds', async () => {
    const bench = await startBench();
    for (let i = 0; i < 25; i += 1) await buyPlan(bench);
    // Of this process alone: other tests run on the same machine.
    const started = process.cpuUsage();
    await bench.control('clock/advance', { days: 366 });
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1000).toBeLessThan(5000);
    expect(bench.simulator.world.tables.invoices.filter((row) => row.status === 'paid')).toHaveLength(
      25 * 13,
    );
  });
});
