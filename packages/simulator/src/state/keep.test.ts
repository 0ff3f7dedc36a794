import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Stripe from 'stripe';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  buyPlan,
  CATALOG,
  closeAfterTest,
  DAY,
  SECRET_KEY,
  sdk,
  startBench,
  startReceiver,
} from '../../test/harness.ts';
import { advanceWorld } from '../clocks/settle.ts';
import { createSimulator } from '../server.ts';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
let file = '';
const started: ChildProcess[] = [];

beforeEach(async ({ onTestFinished }) => {
  const folder = await mkdtemp(join(tmpdir(), 'simulator-state-'));
  file = join(folder, 'state.json');
  // After the simulators have been closed, which write to it once more.
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** The command itself, on a free port. */
async function run(): Promise<{ stripe: Stripe; url: string; kill: () => Promise<void> }> {
  const child = spawn(process.execPath, [MAIN, '--port', '0', '--state', file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(child);
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the simulator ended with ${code}`)));
    child.stdout?.on('data', (chunk: Buffer) => {
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(chunk.toString());
      if (found !== null) resolve(found[0]);
    });
  });
  const { hostname, port } = new URL(url);
  return {
    url,
    stripe: new Stripe(SECRET_KEY, { host: hostname, port, protocol: 'http' }),
    kill: () =>
      new Promise((resolve) => {
        child.removeAllListeners('exit');
        child.once('exit', () => resolve());
        child.kill('SIGKILL');
      }),
  };
}

describe('a simulator with a state file', () => {
  it('that is killed in the middle of writes has everything that it answered', async () => {
    const first = await run();
    const answered: string[] = [];
    const endless = async (): Promise<void> => {
      for (;;) answered.push((await first.stripe.customers.create({}, { maxNetworkRetries: 0 })).id);
    };
    const writers = [endless(), endless(), endless()].map((writer) => writer.catch(() => {}));
    await expect.poll(() => answered.length, { timeout: 20_000 }).toBeGreaterThan(30);
    await first.kill();
    await Promise.all(writers);
    const second = await run();
    const kept = await second.stripe.customers.list({ limit: 100 }).autoPagingToArray({ limit: 10_000 });
    const ids = new Set(kept.map((customer) => customer.id));
    expect(answered.filter((id) => !ids.has(id))).toEqual([]);
  });

  it('goes on with its subscriptions, clock, keys, cards and open pages, at another address', async () => {
    const bench = await startBench({ stateFile: file });
    const { subscription, customer } = await buyPlan(bench, { lookupKey: 'club_monthly' });
    await bench.control('clock/advance', { days: 10 });
    const open = await bench.stripe.checkout.sessions.create({
      mode: 'payment',
      line_items: [{ price: (await bench.price('coins_small')).id, quantity: 1 }],
      success_url: 'https://example.com/done',
    });
    const key = { idempotencyKey: 'the-same' };
    const once = await bench.stripe.customers.create({ name: 'Once' }, key);
    const { now } = await bench.control('now');
    await bench.simulator.close();

    const again = await startBench({ stateFile: file });
    expect(Number((await again.control('now')).now)).toBeGreaterThanOrEqual(Number(now));
    expect((await again.stripe.customers.create({ name: 'Once' }, key)).id).toBe(once.id);
    const session = await again.stripe.checkout.sessions.retrieve(open.id);
    expect(session.url).toContain(again.simulator.url);
    expect((await fetch(session.url ?? '')).status).toBe(200);
    await again.control(`checkout/${open.id}/pay`, {});
    await again.control(`customers/${customer}/card`, { card: '5555555555554444' });
    await again.control('clock/advance', { days: 30 });
    const invoices = await again.stripe.invoices.list({ subscription: subscription.id });
    expect(invoices.data.map((invoice) => invoice.status)).toEqual(['paid', 'paid']);
  });

  it('shows a price’s change in the subscriptions that were kept', async () => {
    const bench = await startBench({ stateFile: file });
    const { subscription } = await buyPlan(bench, { lookupKey: 'club_monthly' });
    await bench.simulator.close();
    const again = await startBench({ stateFile: file });
    const price = await again.price('club_monthly');
    await again.stripe.prices.update(price.id, { nickname: 'Renamed' });
    const kept = await again.stripe.subscriptions.retrieve(subscription.id);
    expect(kept.items.data[0]?.price.nickname).toBe('Renamed');
  });

  it('delivers what had not arrived when it ended', async () => {
    const receiver = await startReceiver();
    const bench = await startBench({ stateFile: file });
    await bench.stripe.webhookEndpoints.create({ url: receiver.url, enabled_events: ['customer.created'] });
    await bench.control('delivery', { hold: true });
    const customer = await bench.stripe.customers.create({});
    await bench.simulator.close();
    const again = await startBench({ stateFile: file });
    await again.control('flush', {});
    expect(receiver.received.map(({ body }) => JSON.parse(body).data.object)).toMatchObject([
      { id: customer.id },
    ]);
  });

  it('finishes the advance of a test clock that it was killed in', async () => {
    const bench = await startBench({ stateFile: file });
    const clock = await bench.stripe.testHelpers.testClocks.create({ frozen_time: 1_800_000_000 });
    await bench.simulator.close();
    const kept = JSON.parse(await readFile(file, 'utf8'));
    const [row] = kept.tables.test_clocks;
    row.status = 'advancing';
    row.status_details = { advancing: { target_frozen_time: 1_800_000_000 + DAY } };
    await writeFile(file, JSON.stringify(kept));
    const again = await startBench({ stateFile: file });
    expect(await again.stripe.testHelpers.testClocks.retrieve(clock.id)).toMatchObject({
      status: 'ready',
      frozen_time: 1_800_000_000 + DAY,
    });
  });

  it('refuses a file that is something else, and leaves it alone', async () => {
    await writeFile(file, '{"name":"package"}');
    await expect(createSimulator({ stateFile: file })).rejects.toThrow('is no state file of this simulator');
    expect(await readFile(file, 'utf8')).toBe('{"name":"package"}');
  });

  it('is there in less than a second with a year of 25 subscriptions', async () => {
    const first = await createSimulator({ catalog: CATALOG, stateFile: file });
    closeAfterTest(first);
    const stripe = sdk(first);
    const { id: payment_method } = await stripe.paymentMethods.create({
      type: 'card',
      card: { token: 'tok_visa' },
    });
    await Promise.all(
      Array.from({ length: 25 }, async () => {
        const settings = { default_payment_method: payment_method };
        const customer = await stripe.customers.create({ payment_method, invoice_settings: settings });
        await stripe.subscriptions.create({
          customer: customer.id,
          items: [{ price: 'price_club_monthly' }],
        });
      }),
    );
    advanceWorld(first.world, first.world.clock.now() + 366 * DAY);
    await first.close();
    const before = process.cpuUsage();
    const again = await createSimulator({ stateFile: file });
    // Processor time, so that what else runs on the machine does not count.
    const { user, system } = process.cpuUsage(before);
    closeAfterTest(again);
    expect(again.world.tables.invoices.size()).toBe(325);
    expect((user + system) / 1000).toBeLessThan(1000);
  });
});
