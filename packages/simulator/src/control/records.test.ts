import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { closeAfterTest, startBench } from '../../test/harness.ts';

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
