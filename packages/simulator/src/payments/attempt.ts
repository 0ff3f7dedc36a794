import type Stripe from 'stripe';
import { cardError } from '../http/errors.ts';
import { openDispute, openInquiry } from '../refunds-disputes/disputes.ts';
import { idOf, newId, randomToken } from '../state/ids.ts';
import type { CardTyped, World } from '../state/world.ts';
import { bookCharge } from './balance.ts';
import {
  aftermathOf,
  asksThreeDSecure,
  type CardRefusal,
  cardBrand,
  makeCard,
  type Presence,
  refusalOfCharge,
} from './cards.ts';
import { makeCharge } from './charge.ts';

interface IntentGiven {
  amount: number;
  currency: string;
  customer: string | null;
  metadata: Record<string, string>;
  description: string | null;
  paymentMethod: string | null;
  receiptEmail: string | null;
  setupFutureUsage: Stripe.PaymentIntent.SetupFutureUsage | null;
}

export function makePaymentIntent(now: number, given: IntentGiven): Stripe.PaymentIntent {
  const id = newId('pi');
  return {
    id,
    object: 'payment_intent',
    allowed_payment_method_types: null,
    amount: given.amount,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic_async',
    client_secret: `${id}_secret_${randomToken(25)}`,
    confirmation_method: 'automatic',
    created: now,
    currency: given.currency,
    customer: given.customer,
    customer_account: null,
    description: given.description,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: null,
    metadata: given.metadata,
    next_action: null,
    on_behalf_of: null,
    payment_method: given.paymentMethod,
    payment_method_configuration_details: null,
    payment_method_options: {
      card: {
        installments: null,
        mandate_options: null,
        network: null,
        request_three_d_secure: 'automatic',
      },
    },
    payment_method_types: ['card'],
    payment_record: null,
    processing: null,
    receipt_email: given.receiptEmail,
    review: null,
    setup_future_usage: given.setupFutureUsage,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: given.paymentMethod === null ? 'requires_payment_method' : 'requires_confirmation',
    transfer_data: null,
    transfer_group: null,
  };
}

/** A card that is not yet anybody's. */
export function createCard(world: World, typed: CardTyped, now: number): Stripe.PaymentMethod {
  const card = makeCard(now, {
    ...typed,
    brand: cardBrand(typed.number),
    customer: null,
    expMonth: 12,
    expYear: new Date(now * 1000).getUTCFullYear() + 8,
  });
  world.facts.cardNumbers.set(card.id, typed.number);
  return world.tables.payment_methods.insert(card);
}

/** Gives a card to a customer. */
export function attachCard(world: World, card: Stripe.PaymentMethod, customer: Stripe.Customer): void {
  card.customer = customer.id;
  world.emit('payment_method.attached', card, world.scopeOf(customer.id));
}

/** The card that a customer's next invoice is charged to. */
export function cardOf(
  world: World,
  customer: Stripe.Customer,
  own: string | null,
): Stripe.PaymentMethod | null {
  const id = own ?? idOf(customer.invoice_settings.default_payment_method);
  return world.tables.payment_methods.get(id) ?? null;
}

/** Makes a card the one that a customer's subscriptions are charged to. */
export function makeDefaultCard(world: World, card: Stripe.PaymentMethod, customer: Stripe.Customer): void {
  const scope = world.scopeOf(customer.id);
  world.change('customer.updated', customer, scope, (row) => {
    row.invoice_settings.default_payment_method = card.id;
  });
  const live = world.tables.subscriptions.filter(
    (row) => row.customer === customer.id && row.ended_at === null,
  );
  for (const subscription of live) {
    if (subscription.default_payment_method === null) continue;
    world.change('customer.subscription.updated', subscription, scope, (row) => {
      row.default_payment_method = card.id;
    });
  }
}

/**
 * Refuses before anything is touched what the card would not pay at once (`error_if_incomplete`).
 *
 * @throws StripeApiError 402
 */
export function refuseCharge(
  world: World,
  card: Stripe.PaymentMethod,
  amount: number,
  presence: Presence,
): void {
  if (amount <= 0) return;
  const number = world.facts.cardNumbers.get(card.id) ?? '';
  if (asksThreeDSecure(number, presence))
    throw cardError({
      code: 'subscription_payment_intent_requires_action',
      message:
        'Payment for this subscription requires additional user action before it can be completed successfully. Payment can be completed using the PaymentIntent associated with the subscription.',
    });
  const refusal = refusalOfCharge(number);
  if (refusal !== null) throw refusedBy(refusal);
}

/** The 402 for a refusal; `more` names the charge or the intent that it was met at. */
export function refusedBy(
  { code, declineCode, message }: CardRefusal,
  more: { charge?: string; payment_intent?: unknown } = {},
) {
  return cardError({ ...more, code, decline_code: declineCode, message });
}

/** What came of an attempt at a payment. */
type Attempted =
  | { outcome: 'paid'; charge: Stripe.Charge }
  | { outcome: 'refused'; charge: Stripe.Charge; refusal: CardRefusal }
  /** The bank asks the customer: the intent `requires_action`, and nothing was charged. */
  | { outcome: 'asks' };

/**
 * One attempt at a payment intent: a charge that succeeded or failed, or the bank's question; the intent's new status,
 * and their events.
 *
 * @param returnUrl where the customer goes once they have answered their bank
 */
export function attemptPayment(
  world: World,
  intent: Stripe.PaymentIntent,
  card: Stripe.PaymentMethod,
  presence: Presence,
  returnUrl: string | null = null,
): Attempted {
  const scope = world.scopeOf(idOf(intent.customer));
  const number = world.facts.cardNumbers.get(card.id) ?? '';
  if (asksThreeDSecure(number, presence)) {
    intent.status = 'requires_action';
    intent.payment_method = card.id;
    intent.last_payment_error = null;
    intent.next_action = nextAction(world, intent, returnUrl);
    world.emit('payment_intent.requires_action', intent, scope);
    return { outcome: 'asks' };
  }
  const refusal = refusalOfCharge(number);
  if (refusal !== null) return { outcome: 'refused', ...refusePayment(world, intent, card, refusal) };
  const charge = world.tables.charges.insert(makeCharge(world.clock.now(scope), intent, card, null));
  bookCharge(world, charge, scope);
  intent.latest_charge = charge.id;
  intent.next_action = null;
  intent.status = 'succeeded';
  intent.amount_received = intent.amount;
  intent.payment_method = card.id;
  intent.last_payment_error = null;
  world.emit('charge.succeeded', charge, scope);
  world.emit('payment_intent.succeeded', intent, scope);
  if (aftermathOf(number) === 'disputed') openDispute(world, charge);
  if (aftermathOf(number) === 'inquired') openInquiry(world, charge);
  return { outcome: 'paid', charge };
}

/** How the customer answers their bank, in the shapes recorded of Stripe: a page to go to, or Stripe.js's own. */
function nextAction(
  world: World,
  intent: Stripe.PaymentIntent,
  returnUrl: string | null,
): Stripe.PaymentIntent.NextAction {
  const url = `${world.options.baseUrl}/3ds/${intent.id}`;
  return returnUrl === null
    ? { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect', stripe_js: url } }
    : { type: 'redirect_to_url', redirect_to_url: { return_url: returnUrl, url } };
}

/** A charge that the bank refuses, the intent that wants another card, and their events. */
export function refusePayment(
  world: World,
  intent: Stripe.PaymentIntent,
  card: Stripe.PaymentMethod,
  refusal: CardRefusal,
): { charge: Stripe.Charge; refusal: CardRefusal } {
  const scope = world.scopeOf(idOf(intent.customer));
  const charge = world.tables.charges.insert(makeCharge(world.clock.now(scope), intent, card, refusal));
  intent.latest_charge = charge.id;
  world.emit('charge.failed', charge, scope);
  failIntent(world, intent, card, refusal, charge.id);
  return { charge, refusal };
}

/** The intent wants another card; without a charge where none was made. */
export function failIntent(
  world: World,
  intent: Stripe.PaymentIntent,
  card: Stripe.PaymentMethod,
  refusal: CardRefusal,
  charge?: string,
): void {
  intent.status = 'requires_payment_method';
  intent.next_action = null;
  intent.payment_method = null;
  intent.last_payment_error = {
    ...(charge === undefined ? {} : { charge }),
    code: refusal.code,
    ...(charge === undefined ? {} : { decline_code: refusal.declineCode }),
    message: refusal.message,
    payment_method: card,
    type: charge === undefined ? 'invalid_request_error' : 'card_error',
  };
  world.emit('payment_intent.payment_failed', intent, world.scopeOf(idOf(intent.customer)));
}
