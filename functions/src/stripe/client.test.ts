import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { connectStripe } from './client.ts';

/** A client of a provider that answers as given, and how many connections there are, and were. */
async function connected(answer: RequestListener, idle?: number) {
  const server = createServer(answer);
  let opened = 0;
  server.on('connection', () => {
    opened += 1;
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const providerApiBase = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stripe = await connectStripe({ providerSecretKey: 'sk_test_x', providerApiBase }, { idle });
  const open = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
  return { stripe, open, opened: () => opened };
}

const aCustomer: RequestListener = (_req, res) => {
  res.setHeader('content-type', 'application/json');
  res.end('{"id":"cus_1","object":"customer"}');
};

it('asks again on the same connection', async () => {
  const { stripe, opened } = await connected(aCustomer);
  await stripe.customers.retrieve('cus_1');
  await stripe.customers.retrieve('cus_1');
  expect(opened()).toBe(1);
});

it('keeps no connection that nobody uses: what it was frozen with is not trusted afterwards', async () => {
  const { stripe, open, opened } = await connected(aCustomer, 20);
  await stripe.customers.retrieve('cus_1');
  await expect.poll(open).toBe(0);
  expect(await stripe.customers.retrieve('cus_1')).toMatchObject({ id: 'cus_1' });
  expect(opened()).toBe(2);
});
