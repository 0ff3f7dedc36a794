import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PLAN } from '@extension-billing/contract/test/catalog';
import { beforeAll, describe, expect, it } from 'vitest';
import { EVENT_TYPES } from '../../functions/src/stripe/translate.ts';
import { readAddresses, SIMULATOR_SECRETS } from '../../packages/cli/src/local/suite.ts';
import { findStripeCli, WAYS_TO_STRIPE_CLI } from '../set-up/find-stripe-cli.mjs';
import { thisMachine } from '../set-up/machine.mjs';

/** Stripe's own command line, pointed at the simulator, with settings of its own and nobody's login. */
interface StripeCli {
  /** @returns what it printed. @throws Error with what it printed when it failed. */
  run(...words: readonly string[]): Promise<string>;
}

/** @throws Error naming the ways to get the CLI when there is none. */
function stripeCli(simulator: string): StripeCli {
  const program = findStripeCli(thisMachine(process.env));
  if (program === undefined) throw new Error(WAYS_TO_STRIPE_CLI);
  const home = mkdtempSync(join(tmpdir(), 'billing-stripe-cli-'));
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    XDG_CONFIG_HOME: home,
    STRIPE_CLI_TELEMETRY_OPTOUT: '1',
    DO_NOT_TRACK: '1',
  };
  const address = ['--api-base', simulator, '--api-key', SIMULATOR_SECRETS.PAYMENT_SECRET_KEY];
  return {
    run: (...words) =>
      new Promise((resolve, reject) => {
        const child = spawn(program, [...words, ...address], { env, stdio: ['ignore', 'pipe', 'pipe'] });
        let output = '';
        for (const stream of [child.stdout, child.stderr]) {
          stream.on('data', (chunk: Buffer) => {
            output += chunk.toString();
          });
        }
        child.once('error', reject);
        child.once('close', (code) => {
          // A refused request is printed, and does not change the CLI's status.
          const refused = /"error": \{|Trigger failed/.test(output);
          if (code === 0 && !refused) resolve(output);
          else reject(new Error(`stripe ${words.join(' ')} ended with ${code}:\n${output}`));
        });
      }),
  };
}

interface Delivery {
  readonly event: string;
  readonly type: string;
  readonly status: string;
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
}

interface Row {
  readonly id: string;
}

const { provider } = readAddresses(process.env);
const fixture = (name: string): string => fileURLToPath(new URL(`./${name}.fixture.json`, import.meta.url));
/** Events that none of the CLI's fixtures causes: the project's own fixtures, in the CLI's format. */
const OWN_FIXTURES: Readonly<Record<string, string>> = {
  'refund.failed': fixture('refund-failed'),
  'charge.dispute.funds_withdrawn': fixture('dispute-won'),
  'charge.dispute.funds_reinstated': fixture('dispute-won'),
  // The CLI's own cancels a schedule, which Stripe calls canceled; aborted means that the subscription went unpaid.
  'subscription_schedule.aborted': fixture('schedule-aborted'),
};
/** Events that come by themselves, so many days after their fixture. */
const DAYS_LATER: Readonly<Record<string, number>> = {
  'refund.failed': 1,
  'subscription_schedule.aborted': 50,
};
let cli: StripeCli;

const control = async (path: string, body?: object): Promise<unknown> => {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  return (await fetch(`${provider}/_sim/${path}`, init)).json();
};
const ask = async (...words: readonly string[]): Promise<Record<string, unknown>> => {
  const output = await cli.run(...words);
  return JSON.parse(output.slice(output.indexOf('{'))) as Record<string, unknown>;
};
const idOf = async (...words: readonly string[]): Promise<string> => String((await ask(...words)).id);

beforeAll(async () => {
  cli = stripeCli(provider);
  await control('reset', {});
});

describe('stripe trigger', () => {
  it.each(EVENT_TYPES)('%s arrives signed at the function, which answers 200 to all of it', async (type) => {
    const seen = ((await control('deliveries')) as readonly Delivery[]).length;
    const own = OWN_FIXTURES[type];
    await (own === undefined ? cli.run('trigger', type) : cli.run('fixtures', own));
    const days = DAYS_LATER[type];
    if (days !== undefined) await control('clock/advance', { days });
    await control('flush', {});
    const all = (await control('deliveries')) as readonly Delivery[];
    const fresh = all.slice(seen);
    expect(fresh.map((delivery) => delivery.type)).toContain(type);
    expect(
      fresh.filter(({ status, responseStatus }) => status !== 'delivered' || responseStatus !== 200),
    ).toEqual([]);
  });
});

describe('stripe', () => {
  it('products and prices', async () => {
    const product = await idOf('products', 'create', '--name', 'From the CLI');
    expect(product).toMatch(/^prod_/);
    expect((await ask('products', 'update', product, '--description', 'told')).description).toBe('told');
    const price = await idOf(
      ...['prices', 'create', '--product', product, '--unit-amount', '700', '--currency', 'usd'],
      ...['-d', 'recurring[interval]=month', '--lookup-key', 'from_the_cli'],
    );
    expect(await ask('prices', 'retrieve', price)).toMatchObject({
      unit_amount: 700,
      lookup_key: 'from_the_cli',
    });
    const listed = await ask('prices', 'list', '--product', product);
    expect(listed.data).toMatchObject([{ id: price }]);
  });

  it('customers and subscriptions', async () => {
    const customer = await idOf(
      ...['customers', 'create', '--email', 'cli@example.test', '--payment-method', 'pm_card_visa'],
      ...['-d', 'invoice_settings[default_payment_method]=pm_card_visa'],
    );
    const subscription = await idOf(
      ...['subscriptions', 'create', '--customer', customer],
      ...['-d', `items[0][price]=price_${PLAN.monthly}`],
    );
    expect(await ask('subscriptions', 'retrieve', subscription)).toMatchObject({
      customer,
      status: 'active',
    });
    expect((await ask('subscriptions', 'list', '--customer', customer)).data).toMatchObject([
      { id: subscription },
    ]);
    expect((await ask('customers', 'update', customer, '--name', 'Ada')).name).toBe('Ada');
    expect((await ask('customers', 'retrieve', customer)).name).toBe('Ada');
    const updated = await ask('subscriptions', 'update', subscription, '--cancel-at-period-end=true');
    expect(updated.cancel_at_period_end).toBe(true);
    expect((await ask('subscriptions', 'cancel', subscription, '--confirm')).status).toBe('canceled');
    expect((await ask('customers', 'list', '--email', 'cli@example.test')).data).toMatchObject([
      { id: customer },
    ]);
    expect((await ask('customers', 'delete', customer, '--confirm')).deleted).toBe(true);
  });

  it('refunds', async () => {
    const intent = await idOf(
      ...['payment_intents', 'create', '--amount', '500', '--currency', 'usd', '--confirm=true'],
      ...['--payment-method', 'pm_card_visa', '-d', 'automatic_payment_methods[enabled]=true'],
      ...['-d', 'automatic_payment_methods[allow_redirects]=never'],
    );
    const refund = await ask('refunds', 'create', '--payment-intent', intent, '--amount', '200');
    expect(refund).toMatchObject({ amount: 200, status: 'succeeded' });
    expect(await ask('refunds', 'retrieve', String(refund.id))).toMatchObject({ amount: 200 });
    expect((await ask('refunds', 'list', '--payment-intent', intent)).data).toHaveLength(1);
  });

  it('events', async () => {
    const { data } = await ask('events', 'list', '--limit', '3');
    expect(data).toHaveLength(3);
    const [first] = data as readonly { id: string; type: string }[];
    expect(await ask('events', 'retrieve', first?.id ?? '')).toMatchObject({ type: first?.type });
    const refunds = await ask('events', 'list', '--type', 'charge.refunded', '--limit', '1');
    expect(refunds.data).toMatchObject([{ type: 'charge.refunded' }]);
  });

  it('events resend: the endpoint gets the event once more, and the service says that it had it', async () => {
    const [{ id }] = (await ask('events', 'list', '--type', 'invoice.paid', '--limit', '1')).data as [Row];
    const [endpoint] = (await ask('webhook_endpoints', 'list')).data as [Row];
    const deliveriesOf = async (): Promise<readonly Delivery[]> =>
      ((await control('deliveries')) as readonly Delivery[]).filter(({ event }) => event === id);
    await control('flush', {});
    const before = (await deliveriesOf()).length;
    await cli.run('events', 'resend', id, '--webhook-endpoint', endpoint.id);
    await control('flush', {});
    const after = await deliveriesOf();
    expect(after).toHaveLength(before + 1);
    expect(after.at(-1)).toMatchObject({ status: 'delivered', responseStatus: 200 });
  });

  it('test clocks', async () => {
    const now = Math.floor(Date.now() / 1000);
    const clock = await idOf('test_helpers', 'test_clocks', 'create', '--frozen-time', String(now));
    const later = String(now + 86_400);
    await ask('test_helpers', 'test_clocks', 'advance', clock, '--frozen-time', later);
    await expect
      .poll(async () => (await ask('test_helpers', 'test_clocks', 'retrieve', clock)).status)
      .toBe('ready');
    const listed = (await ask('test_helpers', 'test_clocks', 'list')).data as readonly Row[];
    expect(listed.map(({ id }) => id)).toContain(clock);
    expect((await ask('test_helpers', 'test_clocks', 'delete', clock, '--confirm')).deleted).toBe(true);
  });
});
