import type Stripe from 'stripe';
import { cardError, invalidRequest } from '../http/errors.ts';
import { lineItemsOf } from '../http/expand.ts';
import { route } from '../http/operations.ts';
import { page } from '../http/pagination.ts';
import { mergedMetadata } from '../http/values.ts';
import { cardGiven } from '../payments/methods.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { createSession } from './create.ts';
import { paySessionByDebit } from './debit.ts';
import { paySession } from './pay.ts';
import { expireSession } from './session.ts';

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

interface Confirmation {
  payment_method?: string;
  expected_amount?: number;
}

function pageOf(session: Stripe.Checkout.Session): object {
  return { id: `ppage_${session.id.slice(-24)}`, object: 'payment_page', session_id: session.id };
}

function confirm(world: World, session: Stripe.Checkout.Session, given: Confirmation): void {
  if (session.status !== 'open')
    throw invalidRequest(`This Checkout Session is ${session.status}.`, undefined, 'resource_not_open');
  if (given.payment_method === undefined)
    throw invalidRequest('Missing required param: payment_method.', 'payment_method', 'parameter_missing');
  if (given.expected_amount !== undefined && given.expected_amount !== session.amount_total)
    throw invalidRequest(
      'The expected amount does not match the amount of the Checkout Session.',
      'expected_amount',
    );
  const method = cardGiven(world, given.payment_method, null, 'payment_method');
  const order = world.facts.sessionOrders.get(session.id);
  if (method.type === 'sepa_debit') {
    if (session.mode !== 'payment' || order === undefined)
      throw invalidRequest('The simulator debits bank accounts in payment mode only.', 'payment_method');
    paySessionByDebit(world, session, order, method);
    return;
  }
  const { email, name } = method.billing_details;
  const number = world.facts.cardNumbers.get(method.id) ?? '';
  const paid = paySession(world, session, { number, email, name }, true);
  if (paid.outcome !== 'refused') return;
  const { code, declineCode, message } = paid.refusal;
  throw cardError({ code, decline_code: declineCode, message });
}

/**
 * What Stripe's hosted page itself calls, and nobody else should. It is in no document; Stripe's own CLI completes
 * a session with it (`stripe trigger checkout.session.completed`).
 */
export const paymentPageRoutes = [
  route('GET /v1/payment_pages/{session}', ({ world, id }) =>
    pageOf(world.tables.checkout_sessions.inPath(id('session'), 'session')),
  ),
  route<Confirmation>('POST /v1/payment_pages/{session}/confirm', ({ world, id, params }) => {
    const session = world.tables.checkout_sessions.inPath(id('session'), 'session');
    confirm(world, session, params);
    return pageOf(session);
  }),
];
