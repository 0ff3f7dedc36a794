import { describe, expect, it, vi } from 'vitest';
import {
  type Bench,
  buyPack,
  buyPlan,
  type Receiver,
  sdk,
  startBench,
  startReceiver,
} from '../../test/harness.ts';

const SECRET = 'whsec_simulator_test';
const REGISTERED = [
  'checkout.session.completed',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'invoice.paid',
  'charge.refunded',
] as const;

async function listening(): Promise<{ bench: Bench; receiver: Receiver; endpoint: string }> {
  const bench = await startBench({ webhookSecret: SECRET });
  const receiver = await startReceiver();
  const endpoint = await bench.stripe.webhookEndpoints.create({
    url: receiver.url,
    enabled_events: [...REGISTERED],
    api_version: '2026-10-28.endive',
  });
  return { bench, receiver, endpoint: endpoint.id };
}

describe('an endpoint', () => {
  it('gets only the events it registered for, signed so that the SDK accepts them', async () => {
    const { bench, receiver } = await listening();
    await buyPlan(bench, { trialDays: 7 });
    await bench.simulator.dispatcher.idle();
    expect(receiver.types().sort()).toEqual([
      'checkout.session.completed',
      'customer.subscription.created',
      'invoice.paid',
    ]);
    for (const { body, signature, id } of receiver.received) {
      const event = sdk(bench.simulator).webhooks.constructEvent(body, signature, SECRET);
      expect(event.id).toBe(id);
      expect(event.api_version).toBe('2026-10-28.endive');
    }
  });

  it('is refused by the SDK when one byte of the body differs', async () => {
    const { bench, receiver } = await listening();
    await buyPlan(bench, { trialDays: 7 });
    await bench.simulator.dispatcher.idle();
    const first = receiver.received.find(({ type }) => type === 'customer.subscription.created');
    const altered = first?.body.replace('trialing', 'trialinG') ?? '';
    expect(() => bench.stripe.webhooks.constructEvent(altered, first?.signature ?? '', SECRET)).toThrow(
      /signature/i,
    );
  });

  it('gets a secret of its own when none is fixed, shown only when it is created', async () => {
    const bench = await startBench();
    const one = await bench.stripe.webhookEndpoints.create({
      url: 'http://127.0.0.1:9/a',
      enabled_events: ['*'],
    });
    const two = await bench.stripe.webhookEndpoints.create({
      url: 'http://127.0.0.1:9/b',
      enabled_events: ['*'],
    });
    expect(one.secret).toMatch(/^whsec_.{32}$/);
    expect(two.secret).not.toBe(one.secret);
    expect((await bench.stripe.webhookEndpoints.retrieve(one.id)).secret).toBeUndefined();
    expect((await bench.stripe.webhookEndpoints.list()).data.map((endpoint) => endpoint.secret)).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('can be changed, disabled and deleted', async () => {
    const { bench, receiver, endpoint } = await listening();
    await bench.stripe.webhookEndpoints.update(endpoint, { enabled_events: ['charge.succeeded'] });
    await buyPack(bench);
    await bench.simulator.dispatcher.idle();
    expect(receiver.types()).toEqual(['charge.succeeded']);
    await bench.stripe.webhookEndpoints.update(endpoint, { disabled: true });
    await buyPack(bench);
    expect(await bench.stripe.webhookEndpoints.del(endpoint)).toMatchObject({ deleted: true });
    await bench.simulator.dispatcher.idle();
    expect(receiver.types()).toEqual(['charge.succeeded']);
  });

  it('gets a signature of the present when the world’s clock is far ahead', async () => {
    const { bench, receiver } = await listening();
    await buyPlan(bench, { trialDays: 7 });
    await bench.control('clock/advance', { days: 60 });
    await bench.simulator.dispatcher.idle();
    const last = receiver.received.at(-1);
    const event = bench.stripe.webhooks.constructEvent(last?.body ?? '', last?.signature ?? '', SECRET);
    expect(event.created).toBeGreaterThan(Date.now() / 1000 + 20 * 86_400);
  });
});

describe('delivery', () => {
  it.each([
    ['in parallel by default', 'second', 15],
    ['one at a time in an order that is asked for', 'fifo', 1],
  ])('goes %s', async (_case, order, atOnce) => {
    const { bench, receiver } = await listening();
    await bench.control('delivery', { hold: true, order });
    for (let i = 0; i < 5; i += 1) await buyPlan(bench);
    receiver.waitFor(atOnce);
    await bench.control('flush', {});
    expect(receiver.received).toHaveLength(15);
    expect(receiver.mostAtOnce()).toBe(atOnce);
  });

  it('holds events until a flush, and then says how many arrived', async () => {
    const { bench, receiver } = await listening();
    await bench.control('delivery', { hold: true });
    await buyPlan(bench);
    await bench.simulator.dispatcher.idle();
    expect(receiver.received).toEqual([]);
    const deliveries = Object.values(await bench.control('deliveries'));
    expect(deliveries.map((delivery) => Object(delivery).status)).toEqual(['held', 'held', 'held']);
    expect(await bench.control('flush', {})).toEqual({ delivered: 3, failed: 0 });
    expect(receiver.received).toHaveLength(3);
  });

  it('brings events in any order', async () => {
    const firsts = new Set<string | undefined>();
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const { bench, receiver } = await listening();
      await bench.control('delivery', { hold: true, seed });
      expect(await bench.control('delivery')).toMatchObject({ order: 'second' });
      const { subscription } = await buyPlan(bench);
      await bench.control('clock/advance', { days: 1 });
      await bench.stripe.subscriptions.cancel(subscription.id);
      await bench.control('flush', {});
      firsts.add(receiver.types()[0]);
      expect(receiver.types().sort()).toEqual([
        'checkout.session.completed',
        'customer.subscription.created',
        'customer.subscription.deleted',
        'invoice.paid',
      ]);
    }
    expect(firsts.size).toBeGreaterThan(1);
  });

  it('as made brings the first first', async () => {
    const { bench, receiver } = await listening();
    await bench.control('delivery', { order: 'fifo' });
    await buyPlan(bench);
    await bench.simulator.dispatcher.idle();
    expect(receiver.types()).toEqual([
      'customer.subscription.created',
      'invoice.paid',
      'checkout.session.completed',
    ]);
  });

  it('in reverse brings the last first', async () => {
    const { bench, receiver } = await listening();
    await bench.control('delivery', { hold: true, order: 'reverse' });
    await buyPlan(bench);
    await bench.control('flush', {});
    expect(receiver.types()).toEqual([
      'checkout.session.completed',
      'invoice.paid',
      'customer.subscription.created',
    ]);
  });

  it('shuffled is the same for the same seed', async () => {
    const orders: string[][] = [];
    for (const seed of [7, 7, 8]) {
      const { bench, receiver } = await listening();
      await bench.control('delivery', { hold: true, order: 'shuffle', seed });
      for (let i = 0; i < 3; i += 1) await buyPlan(bench);
      await bench.control('flush', {});
      orders.push(receiver.types());
    }
    expect(orders[0]).toEqual(orders[1]);
    expect(orders[0]).not.toEqual(orders[2]);
  });

  it('in copies brings the same event id several times', async () => {
    const { bench, receiver } = await listening();
    await bench.control('delivery', { copies: 3 });
    await buyPlan(bench);
    await bench.simulator.dispatcher.idle();
    expect(receiver.received).toHaveLength(9);
    expect(new Set(receiver.received.map((one) => one.id)).size).toBe(3);
  });

  it('that drops brings nothing; a resend brings it after all', async () => {
    const { bench, receiver } = await listening();
    await bench.control('delivery', { drop: true });
    await buyPlan(bench);
    await bench.simulator.dispatcher.idle();
    expect(receiver.received).toEqual([]);
    await bench.control('resend', { type: 'invoice.paid', last: true });
    await bench.simulator.dispatcher.idle();
    expect(receiver.types()).toEqual(['invoice.paid']);
  });

  it('tries again what is refused, and shows each answer', async () => {
    const { bench, receiver } = await listening();
    await bench.control('delivery', { order: 'fifo', retryDelayMs: 1 });
    receiver.answers.push(500, 503);
    await buyPlan(bench);
    await bench.simulator.dispatcher.idle();
    expect(receiver.types().filter((type) => type === 'customer.subscription.created')).toHaveLength(2);
    expect(new Set(receiver.types()).size).toBe(3);
    const deliveries = Object.values(await bench.control('deliveries')).map(Object);
    expect(deliveries.map((delivery) => [delivery.status, delivery.attempt])).toEqual([
      ['delivered', 2],
      ['delivered', 2],
      ['delivered', 1],
    ]);
    expect(deliveries[0]).toMatchObject({ responseStatus: 200, responseBody: 'noted' });
  });

  it('gives up after the last attempt', async () => {
    const { bench, receiver } = await listening();
    await bench.control('delivery', { retryDelayMs: 60_000, maxAttempts: 2 });
    receiver.answers.push(...Array<number>(6).fill(500));
    await buyPlan(bench);
    expect(await bench.control('flush', {})).toEqual({ delivered: 0, failed: 3 });
    expect(receiver.received).toHaveLength(6);
  });

  it('survives an endpoint that cannot be reached', async () => {
    const bench = await startBench();
    await bench.stripe.webhookEndpoints.create({
      url: 'http://127.0.0.1:1/hook',
      enabled_events: ['charge.succeeded'],
    });
    await bench.control('delivery', { maxAttempts: 1 });
    await buyPack(bench);
    await bench.simulator.dispatcher.idle();
    const [delivery] = Object.values(await bench.control('deliveries'));
    expect(delivery).toMatchObject({ status: 'failed', responseStatus: null });
  });

  it('counts on an event how many endpoints still have to get it', async () => {
    const { bench } = await listening();
    await bench.control('delivery', { hold: true });
    await buyPack(bench);
    const pending = async () =>
      (await bench.stripe.events.list({ type: 'checkout.session.completed' })).data[0]?.pending_webhooks;
    expect(await pending()).toBe(1);
    await bench.control('flush', {});
    expect(await pending()).toBe(0);
  });

  it('delivers what is still open when hold is set off', async () => {
    const { bench, receiver } = await listening();
    await bench.control('delivery', { hold: true });
    await buyPack(bench);
    await bench.control('delivery', { hold: false });
    await vi.waitFor(() => expect(receiver.types()).toEqual(['checkout.session.completed']));
  });
});

describe('who holds events back', () => {
  /** Holds until the connection ends, as that of a process does that is killed. */
  async function aHolder(bench: Bench): Promise<() => void> {
    const connection = new AbortController();
    const { signal } = connection;
    const answer = await fetch(`${bench.simulator.url}/_sim/hold`, { method: 'POST', signal });
    expect(answer.status).toBe(200);
    return () => connection.abort();
  }

  const statuses = async (bench: Bench) =>
    Object.values(await bench.control('deliveries')).map((row) => (row as { status: string }).status);

  it('lets go by going, and not while another holds', async () => {
    const { bench, receiver } = await listening();
    const [first, second] = [await aHolder(bench), await aHolder(bench)];
    await buyPack(bench);
    first();
    await vi.waitFor(() => expect(bench.simulator.dispatcher.holding()).toBe(1));
    await bench.control('delivery', { hold: false });
    expect(await statuses(bench)).toEqual(['held']);
    second();
    await vi.waitFor(() => expect(receiver.types()).toEqual(['checkout.session.completed']));
  });

  it('leaves held what the mode holds too, and is in no state that is kept', async () => {
    const { bench } = await listening();
    const letGo = await aHolder(bench);
    await buyPack(bench);
    const kept = async () => (await bench.control('snapshot')).deliveries;
    expect(await kept()).toMatchObject({ mode: { hold: false }, all: [{ status: 'pending' }] });
    await bench.control('delivery', { hold: true });
    expect(await kept()).toMatchObject({ mode: { hold: true }, all: [{ status: 'held' }] });
    letGo();
    await vi.waitFor(() => expect(bench.simulator.dispatcher.holding()).toBe(0));
    expect(await statuses(bench)).toEqual(['held']);
  });
});

describe('a control route', () => {
  it.each([
    ['delivery', { order: 'backwards' }, '"order" must be one of second, fifo, reverse, shuffle.'],
    ['delivery', { cpies: 2 }, '"cpies" is not known here.'],
    ['delivery', { copies: 0 }, '"copies" must be a whole number, at least 1.'],
    ['clock/advance', { to: 1 }, 'Time only goes forward'],
    ['clock/advance', { days: 'two' }, '"days" must be a number.'],
  ])('%s refuses %o', async (path, body, message) => {
    const bench = await startBench();
    const response = await fetch(`${bench.simulator.url}/_sim/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(message.replaceAll('"', '\\"'));
  });

  it('reset keeps the catalog and the endpoints, and nothing else', async () => {
    const { bench, endpoint } = await listening();
    await buyPlan(bench);
    await bench.control('clock/advance', { days: 10 });
    await bench.control('reset', {});
    const state = await bench.control('state');
    expect(state).toMatchObject({ customers: [], subscriptions: [], events: [], charges: [] });
    expect(Object(state).prices).toHaveLength(6);
    expect(Object(state).webhook_endpoints).toMatchObject([{ id: endpoint }]);
    const { now } = await bench.control('now');
    expect(Math.abs(Number(now) - Date.now() / 1000)).toBeLessThan(5);
    await buyPlan(bench);
  });
});
