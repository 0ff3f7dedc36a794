import type Stripe from 'stripe';
import { invalidRequest } from '../http/errors.ts';
import { route } from '../http/operations.ts';
import { page } from '../http/pagination.ts';
import { keptParams } from '../http/supported.ts';
import { checkAddress, checkEmail, checkLeast, currencyGiven, mergedMetadata } from '../http/values.ts';
import { type Collected, openInvoiceOf, subscriptionOf } from '../invoices/collect.ts';
import { collectAndFollowUp, fail } from '../invoices/dunning.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { attemptPayment, failIntent, makePaymentIntent, refusedBy, refusePayment } from './attempt.ts';
import { AUTHENTICATION_REQUIRED, asksThreeDSecure, NOT_AUTHENTICATED } from './cards.ts';
import { cardGiven } from './methods.ts';

/** Who confirms, and where the customer goes once they have answered their bank. */
interface Confirming {
  /** The customer cannot be asked (`off_session`): a card that asks is refused at once. */
  isAway: boolean;
  returnUrl: string | null;
}

/**
 * Charges a card for an intent, as its confirmation asks. An intent that pays an invoice settles it, and its
 * subscription follows.
 */
function confirmIntent(
  world: World,
  intent: Stripe.PaymentIntent,
  card: Stripe.PaymentMethod,
  { isAway, returnUrl }: Confirming,
): Collected {
  const number = world.facts.cardNumbers.get(card.id) ?? '';
  if (isAway && asksThreeDSecure(number, 'away'))
    return { outcome: 'refused', ...refusePayment(world, intent, card, AUTHENTICATION_REQUIRED) };
  const presence = isAway ? 'away' : 'there';
  const invoice = openInvoiceOf(world, intent);
  if (invoice !== undefined) return collectAndFollowUp(world, invoice, { card, presence, returnUrl });
  return attemptPayment(world, intent, card, presence, returnUrl);
}

/**
 * The customer has answered their bank (3-D Secure): the card is charged, or the intent wants another one.
 *
 * @returns where they go from here; null where the confirmation named no address
 * @throws StripeApiError 400 when the intent waits for no answer
 */
export function answerBank(world: World, intent: Stripe.PaymentIntent, passed: boolean): string | null {
  const card = world.tables.payment_methods.get(idOf(intent.payment_method));
  if (intent.status !== 'requires_action' || card === undefined)
    throw invalidRequest(
      `This PaymentIntent does not wait for its customer's bank: its status is ${intent.status}.`,
      undefined,
      'payment_intent_unexpected_state',
    );
  const returnUrl = intent.next_action?.redirect_to_url?.return_url ?? null;
  const invoice = openInvoiceOf(world, intent);
  if (!passed) {
    failIntent(world, intent, card, NOT_AUTHENTICATED);
    if (invoice !== undefined) {
      invoice.attempt_count += 1;
      fail(world, invoice, subscriptionOf(world, invoice));
    }
  } else if (invoice !== undefined) collectAndFollowUp(world, invoice, { card, presence: 'confirmed' });
  else attemptPayment(world, intent, card, 'confirmed');
  if (returnUrl === null) return null;
  const back = new URL(returnUrl);
  back.searchParams.set('payment_intent', intent.id);
  back.searchParams.set('payment_intent_client_secret', intent.client_secret ?? '');
  back.searchParams.set('redirect_status', passed ? 'succeeded' : 'failed');
  return back.href;
}

/** How a confirmation is asked for, at the creation or by itself. */
type ConfirmParams = Pick<Stripe.PaymentIntentConfirmParams, 'payment_method' | 'off_session' | 'return_url'>;

function confirm(world: World, intent: Stripe.PaymentIntent, params: ConfirmParams): Stripe.PaymentIntent {
  checkAddress(params.return_url, 'return_url');
  const named = params.payment_method ?? idOf(intent.payment_method);
  if (named === null)
    throw invalidRequest(
      `You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment method or ConfirmationToken.`,
      undefined,
      'payment_intent_unexpected_state',
    );
  if (intent.status === 'succeeded' || intent.status === 'canceled')
    throw invalidRequest(
      `You cannot confirm this PaymentIntent because it has already ${intent.status === 'succeeded' ? 'succeeded after being previously confirmed' : 'been canceled'}.`,
      undefined,
      'payment_intent_unexpected_state',
    );
  const card = cardGiven(world, named, idOf(intent.customer), 'payment_method');
  const confirmed = confirmIntent(world, intent, card, {
    isAway: params.off_session !== undefined && params.off_session !== false,
    returnUrl: params.return_url ?? null,
  });
  if (confirmed.outcome === 'refused')
    throw refusedBy(confirmed.refusal, {
      charge: confirmed.charge.id,
      payment_intent: structuredClone(intent),
    });
  return intent;
}

export const paymentIntentRoutes = [
  route<Stripe.PaymentIntentListParams>('GET /v1/payment_intents', ({ world, params, path }) => {
    const rows = world.tables.payment_intents
      .newestFirst()
      .filter((row) => params.customer === undefined || idOf(row.customer) === params.customer);
    return page(rows, params, path);
  }),
  route<Stripe.PaymentIntentCreateParams>('POST /v1/payment_intents', ({ world, params }) => {
    if (params.amount < 1)
      throw invalidRequest(
        'This value must be greater than or equal to 1.',
        'amount',
        'parameter_invalid_integer',
      );
    const currency = currencyGiven(params.currency);
    checkLeast(params.amount, currency, 'amount');
    checkEmail(params.receipt_email, 'receipt_email');
    const metadata = mergedMetadata(null, params.metadata);
    const customer =
      params.customer === undefined ? null : world.tables.customers.named(params.customer, 'customer').id;
    const method =
      params.payment_method === undefined
        ? null
        : cardGiven(world, params.payment_method, customer, 'payment_method').id;
    const intent = makePaymentIntent(world.nowFor(customer), {
      amount: params.amount,
      currency,
      customer,
      metadata,
      description: params.description || null,
      paymentMethod: method,
      receiptEmail: params.receipt_email || null,
      setupFutureUsage: params.setup_future_usage ?? null,
    });
    Object.assign(intent, keptParams('POST /v1/payment_intents', params));
    world.tables.payment_intents.insert(intent);
    world.emit('payment_intent.created', intent, world.scopeOf(customer));
    return params.confirm === true
      ? confirm(world, intent, {
          ...(params.off_session !== undefined && { off_session: params.off_session }),
          ...(params.return_url !== undefined && { return_url: params.return_url }),
        })
      : intent;
  }),
  route('GET /v1/payment_intents/{intent}', ({ world, id }) =>
    world.tables.payment_intents.inPath(id('intent'), 'intent'),
  ),
  route<Stripe.PaymentIntentUpdateParams>('POST /v1/payment_intents/{intent}', ({ world, id, params }) => {
    const intent = world.tables.payment_intents.inPath(id('intent'), 'intent');
    intent.metadata = mergedMetadata(intent.metadata, params.metadata);
    if (params.description !== undefined) intent.description = params.description || null;
    checkEmail(params.receipt_email, 'receipt_email');
    Object.assign(intent, keptParams('POST /v1/payment_intents/{intent}', params));
    if (params.payment_method !== undefined) {
      intent.payment_method = cardGiven(
        world,
        params.payment_method,
        idOf(intent.customer),
        'payment_method',
      ).id;
      if (intent.status === 'requires_payment_method') intent.status = 'requires_confirmation';
    }
    return intent;
  }),
  route<Stripe.PaymentIntentConfirmParams>(
    'POST /v1/payment_intents/{intent}/confirm',
    ({ world, id, params }) => {
      const intent = world.tables.payment_intents.inPath(id('intent'), 'intent');
      checkEmail(params.receipt_email, 'receipt_email');
      Object.assign(intent, keptParams('POST /v1/payment_intents/{intent}/confirm', params));
      return confirm(world, intent, params);
    },
  ),
  route<Stripe.PaymentIntentCancelParams>(
    'POST /v1/payment_intents/{intent}/cancel',
    ({ world, id, params }) => {
      const intent = world.tables.payment_intents.inPath(id('intent'), 'intent');
      if (intent.status === 'succeeded' || intent.status === 'canceled')
        throw invalidRequest(
          `You cannot cancel this PaymentIntent because it has a status of ${intent.status}.`,
          undefined,
          'payment_intent_unexpected_state',
        );
      intent.status = 'canceled';
      intent.next_action = null;
      intent.canceled_at = world.nowFor(idOf(intent.customer));
      intent.cancellation_reason = params.cancellation_reason ?? null;
      world.emit('payment_intent.canceled', intent, world.scopeOf(idOf(intent.customer)));
      return intent;
    },
  ),
];
