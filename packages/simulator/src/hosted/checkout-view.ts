import type Stripe from 'stripe';
import { discountOfSession } from '../engine/checkout-discount.ts';
import { successUrl } from '../engine/checkout-pay.ts';
import { lineItemsOf } from '../http/expand.ts';
import type { BillingInterval, CheckoutLine, CheckoutView } from '../pages/views.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';

/** The name that the pages give the business. */
export const MERCHANT = 'Extension Billing';

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
export function checkoutView(world: World, session: Stripe.Checkout.Session): CheckoutView {
  const lines = lineItemsOf(world, session.id);
  const data = world.facts.sessionOrders.get(session.id)?.subscriptionData ?? {};
  const now = world.nowFor(idOf(session.customer));
  const trialEnd =
    data.trial_end ?? (data.trial_period_days === undefined ? null : now + data.trial_period_days * 86_400);
  const total = lines.reduce((sum, line) => sum + line.amount_total, 0);
  return {
    sessionId: session.id,
    mode: session.mode === 'subscription' ? 'subscription' : 'payment',
    merchant: MERCHANT,
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
