import { Stripe } from 'stripe';
import { expect, it } from 'vitest';
import { aConfig } from '../../test/app/config.ts';
import { keptLog, serveApp } from '../../test/app/serve-app.ts';
import { packBought } from '../../test/factories/provider-events.ts';
import type { AppDeps } from '../deps.ts';

const { webhooks } = new Stripe('sk_test_only_signs_events');
const TEST_KEY = 'sk_test_1234567890';
const LIVE_KEY = 'sk_live_1234567890';

/** The answer to a well-signed purchase of one mode at a service with a key; what is let through finds a database. */
async function deliver(livemode: unknown, providerSecretKey: string) {
  const log = keptLog();
  const config = aConfig({ providerSecretKey });
  const stripe = async () => ({ webhooks }) as unknown as Stripe;
  const firestore = {
    doc: () => {
      throw Object.assign(new Error('let through'), { code: 14 });
    },
  } as unknown as AppDeps['firestore'];
  const base = await serveApp({ config, stripe, log, firestore });
  const payload = JSON.stringify({ object: 'event', livemode, ...packBought({ uid: 'ada' }) });
  const signature = webhooks.generateTestHeaderString({ payload, secret: config.webhookSecret });
  const response = await fetch(`${base}/billing/webhook`, {
    method: 'POST',
    headers: { 'stripe-signature': signature },
    body: payload,
  });
  return { status: response.status, body: await response.json(), lines: log.lines };
}
const LET_THROUGH = 503;

it.each([
  ['a purchase with test cards', false, LIVE_KEY],
  ['a purchase with real money', true, TEST_KEY],
])(
  '%s is refused where the key is of the other mode, and nothing is looked up',
  async (_what, livemode, key) => {
    const { status, body, lines } = await deliver(livemode, key);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_request', detail: expect.stringContaining('mode') });
    expect(lines).toEqual([{ severity: 'warn', event: 'webhook_refused', fields: { reason: 'mode' } }]);
  },
);

it.each([
  [false, TEST_KEY],
  [true, LIVE_KEY],
  [true, 'rk_live_1234567890'],
  [undefined, LIVE_KEY],
])('an event whose mode is %j passes where the key is %s', async (livemode, key) => {
  expect((await deliver(livemode, key)).status).toBe(LET_THROUGH);
});
