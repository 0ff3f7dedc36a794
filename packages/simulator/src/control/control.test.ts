import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { closeAfterTest, refusalOf, startBench } from '../../test/harness.ts';

describe('a fault', () => {
  it.each([
    [500, Stripe.errors.StripeAPIError],
    [429, Stripe.errors.StripeRateLimitError],
    ['reset', Stripe.errors.StripeConnectionError],
  ] as const)('%s comes out as the SDK’s own class, as often as it is set', async (status, errorClass) => {
    const { stripe, control } = await startBench();
    // The SDK tries a connection that broke off once more by itself.
    await control('fault', { status, times: status === 'reset' ? 2 : 1 });
    expect(await refusalOf(stripe.customers.list())).toBeInstanceOf(errorClass);
    expect((await stripe.customers.list()).data).toEqual([]);
  });

  it('meets only the calls that it names, as often as it says', async () => {
    const { stripe, control } = await startBench();
    await control('fault', { status: 500, method: 'POST', path: '/v1/customers', times: 2 });
    await stripe.customers.list();
    await refusalOf(stripe.customers.create({}));
    await refusalOf(stripe.customers.create({}));
    expect((await stripe.customers.create({})).object).toBe('customer');
  });

  it('afterwards loses the answer of a call that was executed, which its idempotency key finds again', async () => {
    const { stripe, control } = await startBench();
    await control('fault', { status: 'reset', afterwards: true, times: 2 });
    await refusalOf(stripe.customers.create({ email: 'a@example.com' }, { idempotencyKey: 'k1' }));
    const again = await stripe.customers.create({ email: 'a@example.com' }, { idempotencyKey: 'k1' });
    expect((await stripe.customers.list()).data.map((row) => row.id)).toEqual([again.id]);
  });

  it('is forgotten when it is cleared', async () => {
    const { stripe, control } = await startBench();
    await control('fault', { status: 500 });
    await control('fault', { clear: true });
    expect((await stripe.customers.list()).data).toEqual([]);
  });
});

/** A service that answers what the test says. */
async function service(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeAfterTest({
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/records`;
}

async function ask(recordsUrl?: string): Promise<readonly [number, unknown]> {
  const { simulator } = await startBench(recordsUrl === undefined ? {} : { recordsUrl });
  const response = await fetch(`${simulator.url}/_sim/records`);
  return [response.status, await response.json()];
}

it('hands on the service’s record of each customer', async () => {
  const records = { cus_1: { paid: true, creditsRemaining: 3 } };
  const url = await service((_request, response) => response.end(JSON.stringify(records)));
  expect(await ask(url)).toEqual([200, records]);
});

it('answers 404 where it knows no service, which is how the page learns it', async () => {
  expect(await ask()).toMatchObject([404, { error: { message: expect.stringContaining('--records-url') } }]);
});

it('says why the records cannot be had', async () => {
  const url = await service((_request, response) => response.writeHead(503).end());
  const message = expect.stringContaining('it answered 503');
  expect(await ask(url)).toMatchObject([502, { error: { message } }]);
});
