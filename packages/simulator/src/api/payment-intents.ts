import type Stripe from 'stripe';
import { confirmIntent } from '../engine/intent-confirm.ts';
import { refusedBy } from '../engine/payments.ts';
import { checkAddress, checkEmail, checkLeast, currencyGiven } from '../http/check-values.ts';
import { invalidRequest } from '../http/errors.ts';
import { page } from '../http/pagination.ts';
import { route } from '../http/router.ts';
import { mergedMetadata } from '../objects/metadata.ts';
import { makePaymentIntent } from '../objects/payment-intent.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { cardGiven } from './card-given.ts';

/** How a confirmation is asked for, at the creation or by itself. */
type Confirming = Pick<Stripe.PaymentIntentConfirmParams, 'payment_method' | 'off_session' | 'return_url'>;

function confirm(world: World, intent: Stripe.PaymentIntent, params: Confirming): Stripe.PaymentIntent {
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
    ({ world, id, params }) =>
      confirm(world, world.tables.payment_intents.inPath(id('intent'), 'intent'), params),
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
