import { Stripe } from 'stripe';
import { EVENT_TYPES } from '../../../../functions/src/stripe/translate.ts';

/**
 * Checks the address that events are to be delivered to.
 *
 * @returns the address without a slash at its end.
 * @throws Error when the provider could not deliver there: Stripe wants https; the simulator takes http as well.
 */
export function checkEndpointUrl(text: string, isSimulator: boolean): string {
  const url = URL.parse(text);
  const takes = isSimulator ? ['https:', 'http:'] : ['https:'];
  if (url === null || !takes.includes(url.protocol)) {
    throw new Error(
      `--endpoint must be an ${isSimulator ? 'http or https' : 'https'} address, not "${text}".`,
    );
  }
  if (!url.pathname.replace(/\/$/, '').endsWith('/billing/webhook')) {
    throw new Error(
      `--endpoint must end with /billing/webhook, the service's own route; "${text}" does not.`,
    );
  }
  return text.replace(/\/$/, '');
}

/** What registering did. `secret` is the endpoint's signing secret, which the provider shows only at creation. */
type Registered =
  | { readonly did: 'created'; readonly secret: string | undefined }
  | { readonly did: 'updated' | 'unchanged'; readonly version: string | null };

/**
 * Registers the service's webhook endpoint with the provider. Repeatable: an endpoint that is registered already is
 * left alone, or brought up to the list of events and switched on (specification, "Events", rule 2).
 * The version of its events is pinned at creation, to the SDK's own; the provider never changes it afterwards.
 *
 * @throws the SDK's error when the provider refuses.
 */
export async function registerWebhook(stripe: Stripe, url: string): Promise<Registered> {
  const enabled_events = [...EVENT_TYPES];
  const endpoint = await findEndpoint(stripe, url);
  if (endpoint === undefined) {
    const { secret } = await stripe.webhookEndpoints.create({
      url,
      enabled_events,
      api_version: Stripe.API_VERSION,
    });
    return { did: 'created', secret };
  }
  const version = endpoint.api_version;
  if (
    endpoint.status === 'enabled' &&
    missingEvents(endpoint).length + surplusEvents(endpoint).length === 0
  ) {
    return { did: 'unchanged', version };
  }
  await stripe.webhookEndpoints.update(endpoint.id, { enabled_events, disabled: false });
  return { did: 'updated', version };
}

/** The endpoint with this address. */
export async function findEndpoint(stripe: Stripe, url: string): Promise<Stripe.WebhookEndpoint | undefined> {
  for await (const endpoint of stripe.webhookEndpoints.list({ limit: 100 })) {
    if (endpoint.url === url) return endpoint;
  }
  return undefined;
}

/** Event types that the service needs and the endpoint does not get. */
export function missingEvents({ enabled_events }: Stripe.WebhookEndpoint): readonly string[] {
  return EVENT_TYPES.filter((type) => !enabled_events.includes(type) && !enabled_events.includes('*'));
}

function surplusEvents({ enabled_events }: Stripe.WebhookEndpoint): readonly string[] {
  return enabled_events.filter((type) => !EVENT_TYPES.some((known) => known === type));
}
