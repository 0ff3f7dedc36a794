import type Stripe from 'stripe';
import { lineItemsOf } from '../http/expand.ts';
import type { HostedAnswer } from '../pages/page.ts';
import type { BillingInterval, CheckoutField, CheckoutLine, CheckoutView } from '../pages/views.ts';
import { cardDigits, NOT_AUTHENTICATED } from '../payments/cards.ts';
import { renderThreeDSecure } from '../payments/three-d-secure.ts';
import { redeemable } from '../prices/discounts.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { renderCheckout, renderCheckoutClosed } from './html.ts';
import { type PayResult, paySession, successUrl } from './pay.ts';
import { discountOfSession, discountSession } from './session.ts';

const INTERVALS: readonly BillingInterval[] = ['day', 'week', 'month', 'year'];

/** A price's interval as the pages know it. */
export function intervalName(price: Stripe.Price | null): BillingInterval | null {
  return INTERVALS.find((known) => known === price?.recurring?.interval) ?? null;
}

function lineView(world: World, line: Stripe.LineItem): CheckoutLine {
  const product = world.tables.products.get(idOf(line.price?.product));
  return {
    name: line.description ?? product?.name ?? 'Item',
    description: product?.description ?? null,
    amount: line.amount_total,
    currency: line.currency,
    interval: intervalName(line.price),
    quantity: line.quantity ?? 1,
  };
}

function discountView(world: World, session: Stripe.Checkout.Session): CheckoutView['discount'] {
  const redeemed = discountOfSession(session);
  if (redeemed === null) return undefined;
  const code = world.tables.promotion_codes.get(redeemed.promotionCode)?.code ?? redeemed.coupon;
  return { code, amount: session.total_details?.amount_discount ?? 0 };
}

/** What the checkout page shows of a session. */
function checkoutView(world: World, session: Stripe.Checkout.Session): CheckoutView {
  const lines = lineItemsOf(world, session.id);
  const data = world.facts.sessionOrders.get(session.id)?.subscriptionData ?? {};
  const now = world.nowFor(idOf(session.customer));
  const trialEnd =
    data.trial_end ?? (data.trial_period_days === undefined ? null : now + data.trial_period_days * 86_400);
  const total = lines.reduce((sum, line) => sum + line.amount_total, 0);
  return {
    sessionId: session.id,
    mode: session.mode === 'subscription' ? 'subscription' : 'payment',
    merchant: world.options.merchant,
    currency: session.currency ?? 'usd',
    lineItems: lines.map((line) => lineView(world, line)),
    trialDays: trialEnd === null ? null : (data.trial_period_days ?? Math.round((trialEnd - now) / 86_400)),
    trialEndsAt: trialEnd,
    amountDueToday: session.amount_total ?? 0,
    amountAfterTrial: trialEnd === null ? null : total,
    customerEmail:
      session.status === 'open' ? (session.customer_details?.email ?? session.customer_email) : null,
    cancelUrl: session.cancel_url,
    successUrl: successUrl(session),
    discount: discountView(world, session),
    allowPromotionCodes: session.allow_promotion_codes ?? false,
    automaticTax: session.automatic_tax.enabled,
    state: session.status === 'complete' ? 'complete' : session.status === 'expired' ? 'expired' : 'open',
  };
}

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
