import type Stripe from 'stripe';
import { cardDigits, NOT_AUTHENTICATED } from '../engine/cards.ts';
import { discountSession } from '../engine/checkout-discount.ts';
import { type PayResult, paySession } from '../engine/checkout-pay.ts';
import { redeemable } from '../engine/discounts.ts';
import { renderCheckout } from '../pages/checkout.ts';
import { renderCheckoutClosed } from '../pages/checkout-closed.ts';
import { renderThreeDSecure } from '../pages/three-d-secure.ts';
import type { CheckoutField, CheckoutView } from '../pages/views.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { checkoutView } from './checkout-view.ts';
import type { HostedAnswer } from './html-response.ts';

const INVALID_CODE = {
  field: 'promotion_code' as const,
  code: 'invalid_promotion_code',
  message: 'This code is invalid.',
};

/** The input that a refusal belongs to. */
function fieldOf(code: string): CheckoutField {
  if (code === 'incorrect_cvc') return 'cvc';
  if (code === 'expired_card') return 'exp';
  return 'number';
}

/** The hosted page of a checkout session: shows it (`form` null), or does what its form asks. */
export function answerCheckout(world: World, sessionId: string, form: URLSearchParams | null): HostedAnswer {
  const session = world.tables.checkout_sessions.inPath(sessionId, 'session');
  const view = checkoutView(world, session);
  if (form?.get('action') === 'cancel' && session.cancel_url !== null) {
    return { location: session.cancel_url };
  }
  if (session.status !== 'open') {
    return { status: 200, html: renderCheckoutClosed(view) };
  }
  if (form === null) {
    return { status: 200, html: renderCheckout(view) };
  }
  const email = form.get('email') || null;
  const name = form.get('name') || null;
  const typed = { email: email ?? undefined, name: name ?? undefined };
  if (form.get('action') === 'promotion') {
    const redeemed =
      session.allow_promotion_codes === true
        ? redeemable(world, form.get('promotion_code') ?? '', {
            customer: idOf(session.customer),
            amount: session.amount_subtotal ?? 0,
            currency: session.currency ?? 'usd',
          })
        : null;
    if (redeemed !== null) {
      discountSession(world, session, redeemed);
      return { location: `/c/pay/${session.id}` };
    }
    return { status: 402, html: renderCheckout({ ...view, typed, error: INVALID_CODE }) };
  }
  if (form.get('action') === 'authenticate') {
    return answerChallenge(world, session, form.get('result') === 'ok');
  }
  const card = { number: cardDigits(form.get('number') ?? ''), email, name };
  const paid = paySession(world, session, card);
  if (paid.outcome === 'asks') {
    world.facts.askedCards.set(session.id, card);
    const challenge = {
      intentId: idOf(session.payment_intent) ?? `seti_${session.id.slice(-24)}`,
      amount: view.amountDueToday,
      currency: view.currency,
      last4: card.number.slice(-4),
    };
    return { status: 200, html: renderThreeDSecure({ ...view, threeDSecure: challenge }) };
  }
  return answerPaid(world, session, paid, typed);
}

/** The customer answered their bank: the card that waited is charged, or refused. */
function answerChallenge(world: World, session: Stripe.Checkout.Session, passed: boolean): HostedAnswer {
  const card = world.facts.askedCards.get(session.id);
  world.facts.askedCards.delete(session.id);
  const typed = { email: card?.email ?? undefined, name: card?.name ?? undefined };
  const paid: PayResult =
    card === undefined || !passed
      ? { outcome: 'refused', refusal: NOT_AUTHENTICATED }
      : paySession(world, session, card, true);
  return answerPaid(world, session, paid, typed);
}

function answerPaid(
  world: World,
  session: Stripe.Checkout.Session,
  paid: PayResult,
  typed: CheckoutView['typed'],
): HostedAnswer {
  switch (paid.outcome) {
    case 'paid':
      return { location: paid.redirect };
    case 'closed':
      return { status: 200, html: renderCheckoutClosed(checkoutView(world, session)) };
    case 'refused': {
      const { code, message } = paid.refusal;
      const error = { field: fieldOf(code), code, message };
      return { status: 402, html: renderCheckout({ ...checkoutView(world, session), typed, error }) };
    }
    case 'asks':
      throw new Error(`${session.id} asks for 3-D Secure twice`);
    default:
      return paid satisfies never;
  }
}
