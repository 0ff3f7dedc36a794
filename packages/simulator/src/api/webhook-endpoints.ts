import type Stripe from 'stripe';
import { invalidRequest } from '../http/errors.ts';
import { page } from '../http/pagination.ts';
import { route } from '../http/router.ts';
import { mergedMetadata } from '../objects/metadata.ts';
import { makeWebhookEndpoint } from '../objects/webhook-endpoint.ts';
import { randomToken } from '../state/ids.ts';
import { checkEventTypes } from '../webhooks/event-types.ts';

function checkUrl(url: string): void {
  if (!/^https?:\/\/[^/]/.test(url))
    throw invalidRequest(
      'Invalid URL: An explicit scheme (such as https) must be provided.',
      'url',
      'url_invalid',
    );
}

export const webhookEndpointRoutes = [
  route<Stripe.WebhookEndpointListParams>('GET /v1/webhook_endpoints', ({ world, params, path }) =>
    page(world.tables.webhook_endpoints.newestFirst(), params, path),
  ),
  route<Stripe.WebhookEndpointCreateParams>('POST /v1/webhook_endpoints', ({ world, params }) => {
    checkUrl(params.url);
    if (params.enabled_events.length === 0)
      throw invalidRequest('Missing required param: enabled_events.', 'enabled_events', 'parameter_missing');
    checkEventTypes(params.enabled_events);
    const endpoint = makeWebhookEndpoint(world.clock.now(), {
      url: params.url,
      enabledEvents: params.enabled_events,
      apiVersion: params.api_version ?? null,
      description: params.description || null,
      metadata: mergedMetadata(null, params.metadata),
    });
    world.tables.webhook_endpoints.insert(endpoint);
    const secret = world.options.webhookSecret ?? `whsec_${randomToken(32)}`;
    world.facts.endpointSecrets.set(endpoint.id, secret);
    return { ...endpoint, secret };
  }),
  route('GET /v1/webhook_endpoints/{webhook_endpoint}', ({ world, id }) =>
    world.tables.webhook_endpoints.inPath(id('webhook_endpoint'), 'webhook_endpoint'),
  ),
  route<Stripe.WebhookEndpointUpdateParams>(
    'POST /v1/webhook_endpoints/{webhook_endpoint}',
    ({ world, id, params }) => {
      const endpoint = world.tables.webhook_endpoints.inPath(id('webhook_endpoint'), 'webhook_endpoint');
      if (params.url !== undefined) checkUrl(params.url);
      checkEventTypes(params.enabled_events ?? []);
      const metadata = mergedMetadata(endpoint.metadata, params.metadata);
      endpoint.url = params.url ?? endpoint.url;
      endpoint.enabled_events = params.enabled_events ?? endpoint.enabled_events;
      if (params.description !== undefined) endpoint.description = params.description || null;
      if (params.disabled !== undefined) endpoint.status = params.disabled ? 'disabled' : 'enabled';
      endpoint.metadata = metadata;
      return endpoint;
    },
  ),
  route('DELETE /v1/webhook_endpoints/{webhook_endpoint}', ({ world, id }) => {
    const endpoint = world.tables.webhook_endpoints.inPath(id('webhook_endpoint'), 'webhook_endpoint');
    world.tables.webhook_endpoints.delete(endpoint.id);
    return { id: endpoint.id, object: 'webhook_endpoint', deleted: true };
  }),
];
