import { describe, expect, it, vi } from 'vitest';
import { type Bench, buyPlan, DAY, refusalOf, startBench } from '../../test/harness.ts';

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

  it('advances 100 subscriptions by a year within seconds', async () => {
    const bench = await startBench();
    for (let i = 0; i < 100; i += 1) await buyPlan(bench);
    // Of this process alone: other tests run on the same machine.
    const started = process.cpuUsage();
    await bench.control('clock/advance', { days: 366 });
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1000).toBeLessThan(5000);
    expect(bench.simulator.world.tables.invoices.filter((row) => row.status === 'paid')).toHaveLength(1300);
  }, 30_000);
});
