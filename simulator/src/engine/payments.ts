import type Stripe from 'stripe';
import { cardError } from '../http/errors.ts';
import { makeCharge } from '../objects/charge.ts';
import { makeCard } from '../objects/payment-method.ts';
import { idOf } from '../state/ids.ts';
import type { CardTyped } from '../state/private-facts.ts';
import type { World } from '../state/world.ts';
import { aftermathOf, type CardRefusal, cardBrand, refusalOfCharge } from './cards.ts';
import { openDispute, openInquiry } from './disputes.ts';

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
 * Refuses before anything is touched what the card would refuse to pay at once (`error_if_incomplete`).
 *
 * @throws StripeApiError 402
 */
export function refuseCharge(world: World, card: Stripe.PaymentMethod, amount: number): void {
  if (amount <= 0) return;
  const refusal = refusalOfCharge(world.facts.cardNumbers.get(card.id) ?? '', false);
  if (refusal === null) return;
  const { code, declineCode, message } = refusal;
  throw cardError({ code, decline_code: declineCode, message });
}

/**
 * One attempt at a payment intent: a charge that succeeded or failed, the intent's new status, and their
 * events. `confirmed`: the customer has just passed 3-D Secure. Answers the refusal, or null when it was paid.
 */
export function attemptPayment(
  world: World,
  intent: Stripe.PaymentIntent,
  card: Stripe.PaymentMethod,
  confirmed: boolean,
): { charge: Stripe.Charge; refusal: CardRefusal | null } {
  const customer = idOf(intent.customer);
  const scope = world.scopeOf(customer);
  const now = world.clock.now(scope);
  const number = world.facts.cardNumbers.get(card.id) ?? '';
  const refusal = refusalOfCharge(number, confirmed);
  const charge = world.tables.charges.insert(makeCharge(now, intent, card, refusal));
  intent.latest_charge = charge.id;
  if (refusal === null) {
    intent.status = 'succeeded';
    intent.amount_received = intent.amount;
    intent.payment_method = card.id;
    intent.last_payment_error = null;
    world.emit('charge.succeeded', charge, scope);
    world.emit('payment_intent.succeeded', intent, scope);
    if (aftermathOf(number) === 'disputed') openDispute(world, charge);
    if (aftermathOf(number) === 'inquired') openInquiry(world, charge);
    return { charge, refusal };
  }
  intent.status = 'requires_payment_method';
  intent.payment_method = null;
  intent.last_payment_error = {
    charge: charge.id,
    code: refusal.code,
    decline_code: refusal.declineCode,
    message: refusal.message,
    payment_method: card,
    type: 'card_error',
  };
  world.emit('charge.failed', charge, scope);
  world.emit('payment_intent.payment_failed', intent, scope);
  return { charge, refusal };
}
