import { afterEach, beforeEach, expect, it } from 'vitest';
import { EVENT_TYPES } from '../../../../functions/src/stripe/translate.ts';
import { type Bench, startBench } from './test-simulator.ts';
import { checkEndpointUrl, registerWebhook } from './webhook.ts';

const URL_OF_SERVICE = 'http://127.0.0.1:9/api/billing/webhook';
let bench: Bench;

beforeEach(async () => {
  bench = await startBench('seeded');
});
afterEach(() => bench.simulator.close());

it('registers once, and changes nothing the second time', async () => {
  const { stripe } = bench;
  const register = async () => (await registerWebhook(stripe, URL_OF_SERVICE)).did;
  expect(await register()).toBe('created');
  expect(await register()).toBe('unchanged');
  const { data } = await stripe.webhookEndpoints.list();
  expect(data.map(({ url }) => url)).toEqual([URL_OF_SERVICE]);
  expect(data[0]?.enabled_events.toSorted()).toEqual([...EVENT_TYPES].toSorted());

  await stripe.webhookEndpoints.update(data[0]?.id ?? '', { enabled_events: ['invoice.paid'] });
  expect(await register()).toBe('updated');
  expect(await register()).toBe('unchanged');

  await stripe.webhookEndpoints.update(data[0]?.id ?? '', { disabled: true });
  expect(await register()).toBe('updated');
  expect((await stripe.webhookEndpoints.list()).data[0]?.status).toBe('enabled');
});

it('registers a second address of the same route: the way to a new version without a gap', async () => {
  const { stripe } = bench;
  await registerWebhook(stripe, URL_OF_SERVICE);
  const next = `${URL_OF_SERVICE}?events=2`;
  expect(checkEndpointUrl(next, true)).toBe(next);
  expect((await registerWebhook(stripe, next)).did).toBe('created');
  const { data } = await stripe.webhookEndpoints.list();
  expect(data.map(({ url }) => url).toSorted()).toEqual([URL_OF_SERVICE, next]);
});
