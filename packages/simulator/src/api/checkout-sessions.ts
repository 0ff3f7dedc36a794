import type Stripe from 'stripe';
import { createSession } from '../engine/checkout-create.ts';
import { expireSession } from '../engine/checkout-expire.ts';
import { invalidRequest } from '../http/errors.ts';
import { lineItemsOf } from '../http/expand.ts';
import { page } from '../http/pagination.ts';
import { route } from '../http/router.ts';
import { mergedMetadata } from '../objects/metadata.ts';
import { idOf } from '../state/ids.ts';

export const checkoutSessionRoutes = [
  route<Stripe.Checkout.SessionListParams>('GET /v1/checkout/sessions', ({ world, params, path }) => {
    const { customer, payment_intent: intent, subscription, status } = params;
    const email = params.customer_details?.email;
    const rows = world.tables.checkout_sessions
      .newestFirst()
      .filter((row) => customer === undefined || idOf(row.customer) === customer)
      .filter((row) => intent === undefined || idOf(row.payment_intent) === intent)
      .filter((row) => subscription === undefined || idOf(row.subscription) === subscription)
      .filter((row) => status === undefined || row.status === status)
      .filter((row) => email === undefined || row.customer_details?.email === email);
    return page(rows, params, path);
  }),
  route<Stripe.Checkout.SessionCreateParams>('POST /v1/checkout/sessions', ({ world, params }) =>
    createSession(world, params),
  ),
  route('GET /v1/checkout/sessions/{session}', ({ world, id }) =>
    world.tables.checkout_sessions.inPath(id('session'), 'session'),
  ),
  route<Stripe.Checkout.SessionUpdateParams>(
    'POST /v1/checkout/sessions/{session}',
    ({ world, id, params }) => {
      const session = world.tables.checkout_sessions.inPath(id('session'), 'session');
      session.metadata = mergedMetadata(session.metadata, params.metadata);
      return session;
    },
  ),
  route('POST /v1/checkout/sessions/{session}/expire', ({ world, id }) => {
    const session = world.tables.checkout_sessions.inPath(id('session'), 'session');
    if (session.status !== 'open')
      throw invalidRequest(
        `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of ${session.status}.`,
      );
    expireSession(world, session);
    return session;
  }),
  route<Stripe.Checkout.SessionListLineItemsParams>(
    'GET /v1/checkout/sessions/{session}/line_items',
    ({ world, id, params, path }) => {
      const session = world.tables.checkout_sessions.inPath(id('session'), 'session');
      return page(lineItemsOf(world, session.id), params, path);
    },
  ),
];
