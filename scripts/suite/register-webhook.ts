import { Stripe } from 'stripe';
import { EVENT_TYPES } from '../../functions/src/provider/event-types.ts';

/** What registering did; `unchanged` when the endpoint was there with the right events. */
export type Registered = 'created' | 'updated' | 'unchanged';

/**
 * Registers the service's webhook endpoint with the provider. Repeatable: an endpoint that is registered already is
 * left alone, or brought up to the list of events (specification, "Events", rule 2).
 *
 * @throws the SDK's error when the provider refuses.
 */
export async function registerWebhook(
  providerUrl: string,
  secretKey: string,
  url: string,
): Promise<Registered> {
  const { hostname, port } = new URL(providerUrl);
  const stripe = new Stripe(secretKey, { host: hostname, port, protocol: 'http' });
  const enabled_events = [...EVENT_TYPES];
  for await (const endpoint of stripe.webhookEndpoints.list({ limit: 100 })) {
    if (endpoint.url !== url) continue;
    if (sameList(endpoint.enabled_events, enabled_events)) return 'unchanged';
    await stripe.webhookEndpoints.update(endpoint.id, { enabled_events });
    return 'updated';
  }
  await stripe.webhookEndpoints.create({ url, enabled_events });
  return 'created';
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((event) => b.includes(event));
}
