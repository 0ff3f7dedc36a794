import type Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { type Bench, DAY, refusalOf, startBench } from '../../test/harness.ts';

const LATER_REFUSED = 'tok_chargeCustomerFail';

async function schedule(
  bench: Bench,
  given: Partial<Stripe.SubscriptionScheduleCreateParams> = {},
  source = 'tok_visa',
): Promise<Stripe.SubscriptionSchedule> {
  const customer = await bench.stripe.customers.create({ source });
  const [first, second] = [await bench.price('club_monthly'), await bench.price('club_plus_monthly')];
  const month = { interval: 'month', interval_count: 1 } as const;
  return bench.stripe.subscriptionSchedules.create({
    customer: customer.id,
    start_date: 'now',
    phases: [
      { duration: month, items: [{ price: first.id }] },
      { duration: month, items: [{ price: second.id }] },
    ],
    ...given,
  });
}
const stored = (bench: Bench, { id }: { id: string }) => bench.stripe.subscriptionSchedules.retrieve(id);
const subscriptionOf = (bench: Bench, row: Stripe.SubscriptionSchedule) =>
  bench.stripe.subscriptions.retrieve(String(row.subscription ?? row.released_subscription));

describe('a schedule of its own', () => {
  it('starts its subscription now, charges it an hour later, and switches the price between phases', async () => {
    const bench = await startBench();
    const made = await schedule(bench);
    expect(made).toMatchObject({ status: 'active', end_behavior: 'release' });
    expect(await subscriptionOf(bench, made)).toMatchObject({ status: 'active', schedule: made.id });
    expect((await bench.stripe.charges.list()).data).toEqual([]);
    await bench.control('clock/advance', { seconds: 3600 });
    expect((await bench.stripe.charges.list()).data).toMatchObject([{ amount: 900, paid: true }]);
    await bench.control('clock/advance', { days: 32 });
    const [item] = (await subscriptionOf(bench, made)).items.data;
    expect(item?.price.lookup_key).toBe('club_plus_monthly');
  });

  it('is completed after its last phase, and the subscription goes on without it', async () => {
    const bench = await startBench();
    const made = await schedule(bench);
    await bench.control('clock/advance', { days: 70 });
    const over = await stored(bench, made);
    expect(over).toMatchObject({ status: 'completed', subscription: null });
    expect(await subscriptionOf(bench, over)).toMatchObject({ status: 'active', schedule: null });
    expect(await bench.eventTypes()).toContain('subscription_schedule.completed');
  });

  it('that ends with `cancel` cancels the subscription when the last phase is over', async () => {
    const bench = await startBench();
    const made = await schedule(bench, { end_behavior: 'cancel' });
    await bench.control('clock/advance', { days: 70 });
    const over = await stored(bench, made);
    expect(over.status).toBe('completed');
    const ended = await subscriptionOf(bench, over);
    expect(ended.status).toBe('canceled');
    expect(ended.ended_at).toBe(made.phases[1]?.end_date);
  });

  it('that starts later has no subscription until then, and can be canceled before', async () => {
    const bench = await startBench();
    const later = Math.floor(Date.now() / 1000) + 10 * DAY;
    const kept = await schedule(bench, { start_date: later });
    const dropped = await schedule(bench, { start_date: later });
    expect(kept).toMatchObject({ status: 'not_started', subscription: null });
    expect(await bench.stripe.subscriptionSchedules.cancel(dropped.id)).toMatchObject({ status: 'canceled' });
    await bench.control('clock/advance', { days: 11 });
    const started = await stored(bench, kept);
    expect(started.status).toBe('active');
    expect(await subscriptionOf(bench, started)).toMatchObject({ start_date: later });
    expect(await stored(bench, dropped)).toMatchObject({ subscription: null, released_subscription: null });
    expect(await refusalOf(bench.stripe.subscriptionSchedules.cancel(dropped.id))).toMatchObject({
      message: expect.stringContaining('`canceled` status'),
    });
  });

  it('is aborted, not canceled, if its subscription ends unpaid', async () => {
    const bench = await startBench();
    await schedule(bench, {}, LATER_REFUSED);
    await bench.control('clock/advance', { days: 50 });
    const types = await bench.eventTypes();
    expect(types).toContain('subscription_schedule.aborted');
    expect(types).not.toContain('subscription_schedule.canceled');
  });

  it('made from a running subscription begins with the period that it is in', async () => {
    const bench = await startBench();
    const customer = await bench.stripe.customers.create({ source: 'tok_visa' });
    const { id: price } = await bench.price('club_monthly');
    const running = await bench.stripe.subscriptions.create({ customer: customer.id, items: [{ price }] });
    const made = await bench.stripe.subscriptionSchedules.create({ from_subscription: running.id });
    const [item] = running.items.data;
    expect(made).toMatchObject({
      status: 'active',
      subscription: running.id,
      phases: [{ start_date: item?.current_period_start, end_date: item?.current_period_end }],
    });
    expect(
      await refusalOf(bench.stripe.subscriptionSchedules.create({ from_subscription: running.id })),
    ).toMatchObject({ param: 'from_subscription' });
  });
});
