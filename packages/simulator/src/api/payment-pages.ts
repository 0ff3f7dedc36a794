import type Stripe from 'stripe';
import { paySession } from '../engine/checkout-pay.ts';
import { paySessionByDebit } from '../engine/debit-pay.ts';
import { cardError, invalidRequest } from '../http/errors.ts';
import { route } from '../http/router.ts';
import type { World } from '../state/world.ts';
import { cardGiven } from './card-given.ts';

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
