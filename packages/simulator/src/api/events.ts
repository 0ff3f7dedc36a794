import type Stripe from 'stripe';
import { page } from '../http/pagination.ts';
import { route } from '../http/router.ts';

/** `customer.subscription.*` covers every type that begins with `customer.subscription.`. */
function covers(pattern: string, type: string): boolean {
  return pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : pattern === type;
}

export const eventRoutes = [
  route<Stripe.EventListParams>('GET /v1/events', ({ world, params, path }) => {
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
