import { Stripe } from 'stripe';
import { expect, it } from 'vitest';
import { aConfig } from '../../test/app/config.ts';
import { serveApp } from '../../test/app/serve-app.ts';

const stripe = new Stripe('sk_test_only_checks_signatures');

it.each([
  ['an array', []],
  ['an event with an array for its object', { id: 'evt_1', type: 'x', created: 1, data: { object: [null] } }],
  ['an event with an array for its data', { id: 'evt_1', type: 'x', created: 1, data: [] }],
])('%s is not taken for an event, however it is signed', async (_what, event) => {
  const base = await serveApp({ stripe: async () => stripe });
  const payload = JSON.stringify(event);
  const signature = stripe.webhooks.generateTestHeaderString({ payload, secret: aConfig().webhookSecret });
  const response = await fetch(`${base}/billing/webhook`, {
    method: 'POST',
    headers: { 'stripe-signature': signature },
    body: payload,
  });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    code: 'invalid_request',
    detail: 'The body is not an event.',
  });
});
