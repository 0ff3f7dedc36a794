import { Stripe } from 'stripe';
import { expect, it } from 'vitest';
import { EVENT_TYPES } from '../functions/src/provider/event-types.ts';
import { registerWebhook } from '../scripts/suite/register-webhook.ts';
import { createSimulator } from '../simulator/src/server.ts';

const KEY = 'sk_test_simulator0000000000';
const URL_OF_SERVICE = 'http://127.0.0.1:9/api/billing/webhook';

it('registers once, and changes nothing the second time', async () => {
  const simulator = await createSimulator({ port: 0 });
  try {
    const register = () => registerWebhook(simulator.url, KEY, URL_OF_SERVICE);
    const { hostname, port } = new URL(simulator.url);
    const stripe = new Stripe(KEY, { host: hostname, port, protocol: 'http' });
    expect(await register()).toBe('created');
    expect(await register()).toBe('unchanged');
    const { data } = await stripe.webhookEndpoints.list();
    expect(data.map(({ url }) => url)).toEqual([URL_OF_SERVICE]);
    expect(data[0]?.enabled_events.toSorted()).toEqual([...EVENT_TYPES].toSorted());

    await stripe.webhookEndpoints.update(data[0]?.id ?? '', { enabled_events: ['invoice.paid'] });
    expect(await register()).toBe('updated');
    expect(await register()).toBe('unchanged');
  } finally {
    await simulator.close();
  }
});
