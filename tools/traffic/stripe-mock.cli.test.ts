import { afterAll, beforeAll, expect, it } from 'vitest';
import { findStripeMock, WAYS_TO_STRIPE_MOCK } from '../set-up/find-stripe-mock.mjs';
import { thisMachine } from '../set-up/machine.mjs';
import { ALLOWED_REFUSALS, replay, type Sent } from './replay-requests.ts';
import { type StripeMock, startStripeMock } from './stripe-mock.ts';

const program = findStripeMock(thisMachine(process.env));
let mock: StripeMock;

beforeAll(async () => {
  if (program === undefined) throw new Error(WAYS_TO_STRIPE_MOCK);
  mock = await startStripeMock(program);
});
afterAll(() => mock?.end());

const post = (path: string, body: Readonly<Record<string, string>>): Sent => ({
  sentBy: 'service',
  method: 'POST',
  path,
  requestBody: new URLSearchParams(body).toString(),
});
const SESSION = { mode: 'payment', success_url: 'https://example.test', 'line_items[0][price]': 'price_1' };
const ENDPOINT = { url: 'https://example.test', 'enabled_events[0]': 'invoice.paid' };

it('takes what Stripe’s document allows, and says what it does not', async () => {
  const { refused, allowed } = await replay(
    [
      post('/v1/checkout/sessions', SESSION),
      { sentBy: 'service', method: 'GET', path: '/v1/prices?lookup_keys[0]=a&active=true', requestBody: '' },
      post('/v1/checkout/sessions', { ...SESSION, mode: 'subs' }),
      post('/v1/customers', { 'metadata[a][b]': 'nested' }),
    ],
    mock,
  );
  expect(refused).toHaveLength(2);
  expect(refused[0]).toMatch(/mode/);
  expect(allowed.size).toBe(0);
});

it('refuses falsely what the list allows, so that no entry outlives its reason', async () => {
  const { refused, allowed } = await replay(
    [
      post('/v1/checkout/sessions', { ...SESSION, 'allowed_payment_method_types[0]': 'card' }),
      post('/v1/webhook_endpoints', { ...ENDPOINT, api_version: '2026-10-28.endive' }),
      {
        ...post('/v1/subscriptions/sub_1', { 'billing_cycle_anchor[type]': 'now' }),
        sentBy: 'simulator tests',
      },
    ],
    mock,
  );
  expect(refused).toEqual([]);
  expect(new Set(allowed.keys())).toEqual(new Set(ALLOWED_REFUSALS));
});
