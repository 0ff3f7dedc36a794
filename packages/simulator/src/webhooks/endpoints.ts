import { readFileSync } from 'node:fs';
import type Stripe from 'stripe';
import { invalidRequest } from '../http/errors.ts';
import { route } from '../http/operations.ts';
import { page } from '../http/pagination.ts';
import { mergedMetadata } from '../http/values.ts';
import { checkVersion } from '../http/versions.ts';
import { newId, randomToken } from '../state/ids.ts';

function makeWebhookEndpoint(
  now: number,
  given: {
    url: string;
    enabledEvents: string[];
    apiVersion: string | null;
    description: string | null;
    metadata: Record<string, string>;
  },
): Stripe.WebhookEndpoint {
  return {
    id: newId('we'),
    object: 'webhook_endpoint',
    api_version: given.apiVersion,
    application: null,
    created: now,
    description: given.description,
    enabled_events: given.enabledEvents,
    livemode: false,
    metadata: given.metadata,
    status: 'enabled',
    url: given.url,
  };
}

/** What the pinned SDK's types have on top of the document that the list is generated from. */
const NEWER = [
  'apps.install.created',
  'apps.install.deleted',
  'apps.install.updated',
  'three_d_secure.authentication.canceled',
  'three_d_secure.authentication.challenge_started',
  'three_d_secure.authentication.errored',
  'three_d_secure.authentication.failed',
  'three_d_secure.authentication.requires_challenge',
  'three_d_secure.authentication.requires_submission',
  'three_d_secure.authentication.succeeded',
];

const generated: string[] = JSON.parse(
  readFileSync(new URL('../generated/event-types.json', import.meta.url), 'utf8'),
);
const known = new Set([...generated, ...NEWER]);

/**
 * Refuses types of events that Stripe does not have.
 * @throws StripeApiError 400 naming the first of them
 */
function checkEventTypes(types: readonly string[]): void {
  const index = types.findIndex((type) => !known.has(type));
  if (index < 0) return;
  throw invalidRequest(
    `Invalid enabled_events[${index}]: ${types[index]} is not a type of event that Stripe has.`,
    `enabled_events[${index}]`,
  );
}

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
    checkVersion(params.api_version, 'api_version');
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

/** `customer.subscription.*` covers every type that begins with `customer.subscription.`. */
function covers(pattern: string, type: string): boolean {
  return pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : pattern === type;
}

export const eventRoutes = [
  route<Stripe.EventListParams>('GET /v1/events', ({ world, params, path }) => {
    if ((params.types?.length ?? 0) > 20)
      throw invalidRequest('You may list events of at most 20 types at once.', 'types');
    const wanted = params.types ?? (params.type === undefined ? ['*'] : [params.type]);
    const rows = world.tables.events
      .newestFirst()
      .filter((row) => wanted.some((pattern) => covers(pattern, row.type)))
      .filter(
        ({ pending_webhooks: pending }) =>
          params.delivery_success === undefined || params.delivery_success === (pending === 0),
      );
    return page(rows, params, path);
  }),
  route('GET /v1/events/{id}', ({ world, id }) => world.tables.events.inPath(id('id'), 'id')),
  // `stripe events resend`, which Stripe's document leaves out.
  route<{ webhook_endpoint?: string }>('POST /v1/events/{id}/retry', ({ world, id, params }) => {
    const event = world.tables.events.inPath(id('id'), 'id');
    const { webhook_endpoint: named } = params;
    const endpoint =
      named === undefined ? null : world.tables.webhook_endpoints.named(named, 'webhook_endpoint');
    world.onResend(event, endpoint?.id ?? null);
    return event;
  }),
];
