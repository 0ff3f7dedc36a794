import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { pacedStripe } from './pace.ts';

it('keeps the rate over all calls together, evenly spaced, however many are asked for at once', async () => {
  const arrived: number[] = [];
  const server = createServer((_, response) => {
    arrived.push(performance.now());
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ id: 'cus_1', object: 'customer' }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const stripe = await pacedStripe({
    providerSecretKey: 'sk_test_x',
    providerApiBase: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    providerCallsPerSecond: 100,
  })();
  const begun = performance.now();
  await Promise.all(Array.from({ length: 40 }, () => stripe.customers.retrieve('cus_1')));
  expect(arrived).toHaveLength(40);
  // The first goes at once; a timer may come a millisecond early.
  expect(performance.now() - begun).toBeGreaterThan(39 * 9);
  const inAnySpan = arrived.map((at) => arrived.filter((other) => other >= at && other < at + 100).length);
  expect(Math.max(...inAnySpan)).toBeLessThanOrEqual(20);
});
