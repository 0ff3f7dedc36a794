import type Stripe from 'stripe';
import { makeCustomer, refuseOtherCurrency } from '../customers/customer.ts';
import { shippingOf } from '../http/supported.ts';
import { collectInvoice, finalizeInvoice } from '../invoices/collect.ts';
import { attachCard, attemptPayment, createCard, makePaymentIntent } from '../payments/attempt.ts';
import {
  asksThreeDSecure,
  type CardRefusal,
  isCardNumber,
  refusalOfCharge,
  refusalOfSetup,
} from '../payments/cards.ts';
import { countRedemption } from '../prices/discounts.ts';
import { idOf } from '../state/ids.ts';
import type { CardTyped, SessionOrder, World } from '../state/world.ts';
import { startSubscription } from '../subscriptions/start.ts';
import { discountOfSession } from './session.ts';

/** What came of a press of the pay button. */
export type PayResult =
  | { outcome: 'paid'; redirect: string }
  | { outcome: 'refused'; refusal: CardRefusal }
  /** The card's bank asks the customer first; pay again with `confirmed` once they have answered. */
  | { outcome: 'asks' }
  | { outcome: 'closed'; status: 'complete' | 'expired' };

const INCORRECT_NUMBER: CardRefusal = {
  code: 'incorrect_number',
  declineCode: 'incorrect_number',
  message: 'Your card number is incorrect.',
};

/** Where the browser goes after a payment, with the session's id in place of the placeholder. */
export function successUrl(session: Stripe.Checkout.Session): string {
  return (session.success_url ?? '/').replaceAll('{CHECKOUT_SESSION_ID}', session.id);
}

/** Completes an open session with a card, or says why not. A refusal leaves the session open. */
export function paySession(
  world: World,
  session: Stripe.Checkout.Session,
  typed: CardTyped,
  confirmed = false,
): PayResult {
  if (session.status !== 'open')
    return { outcome: 'closed', status: session.status === 'complete' ? 'complete' : 'expired' };
  const needsCard = session.mode === 'subscription' || (session.amount_total ?? 0) > 0;
  if (needsCard && !isCardNumber(typed.number)) return { outcome: 'refused', refusal: INCORRECT_NUMBER };
  if (needsCard && asksThreeDSecure(typed.number, confirmed ? 'confirmed' : 'there'))
    return { outcome: 'asks' };
  const order = world.facts.sessionOrders.get(session.id);
  if (order === undefined) throw new Error(`The simulator lost what ${session.id} sells`);
  const email = session.customer_details?.email ?? typed.email;
  const refusal =
    session.mode === 'subscription'
      ? paySubscription(world, session, order, { ...typed, email })
      : payOnce(world, session, order, { ...typed, email });
  if (refusal !== null) return { outcome: 'refused', refusal };
  session.status = 'complete';
  session.url = null;
  if (session.automatic_tax.enabled) session.automatic_tax.status = 'complete';
  session.customer_details = {
    address: null,
    business_name: null,
    individual_name: null,
    phone: null,
    tax_exempt: 'none',
    tax_ids: [],
    email,
    name: typed.name,
  };
  rememberEmail(world, session, email);
  world.emit('checkout.session.completed', session, world.scopeOf(idOf(session.customer)));
  return { outcome: 'paid', redirect: successUrl(session) };
}

/** Checkout sets the address that was typed on a customer who has none (docs.stripe.com/api/checkout/sessions/create). */
function rememberEmail(world: World, session: Stripe.Checkout.Session, email: string | null): void {
  const customer = world.tables.customers.get(idOf(session.customer));
  if (customer === undefined || customer.email || email === null) return;
  world.change('customer.updated', customer, world.scopeOf(customer.id), (row) => {
    row.email = email;
  });
}

/** The session's customer, made now when it has none and one is wanted. */
function customerFor(
  world: World,
  session: Stripe.Checkout.Session,
  typed: CardTyped,
  wanted: boolean,
): Stripe.Customer | null {
  const known = world.tables.customers.get(idOf(session.customer));
  if (known !== undefined || !wanted) return known ?? null;
  const customer = makeCustomer(world.clock.now(), { email: typed.email, name: typed.name });
  world.tables.customers.insert(customer);
  session.customer = customer.id;
  world.emit('customer.created', customer, null);
  return customer;
}

function payOnce(
  world: World,
  session: Stripe.Checkout.Session,
  order: SessionOrder,
  typed: CardTyped,
): CardRefusal | null {
  const wantsCustomer =
    session.customer_creation === 'always' || order.paymentIntentData.setup_future_usage !== undefined;
  const amount = session.amount_total ?? 0;
  const existing = world.tables.customers.get(idOf(session.customer));
  const refusedFirst = amount === 0 ? null : refusalOfCharge(typed.number);
  const customer =
    refusedFirst === null ? customerFor(world, session, typed, wantsCustomer) : (existing ?? null);
  const redeemed = discountOfSession(session);
  if (amount === 0) {
    if (redeemed !== null) countRedemption(world, redeemed);
    session.payment_status = 'no_payment_required';
    return null;
  }
  const card = createCard(world, typed, world.nowFor(customer?.id ?? null));
  const scope = world.scopeOf(customer?.id ?? null);
  const reused = world.tables.payment_intents.get(idOf(session.payment_intent));
  const intent =
    reused ??
    world.tables.payment_intents.insert(
      makePaymentIntent(world.clock.now(scope), {
        amount,
        currency: session.currency ?? 'usd',
        customer: customer?.id ?? null,
        metadata: { ...stringMap(order.paymentIntentData.metadata) },
        description: order.paymentIntentData.description ?? null,
        paymentMethod: null,
        receiptEmail: order.paymentIntentData.receipt_email ?? null,
        setupFutureUsage: order.paymentIntentData.setup_future_usage ?? null,
      }),
    );
  intent.customer = customer?.id ?? null;
  intent.shipping = shippingOf(order.paymentIntentData.shipping);
  intent.statement_descriptor = order.paymentIntentData.statement_descriptor ?? null;
  intent.statement_descriptor_suffix = order.paymentIntentData.statement_descriptor_suffix ?? null;
  session.payment_intent = intent.id;
  if (reused === undefined) world.emit('payment_intent.created', intent, scope);
  const attempted = attemptPayment(world, intent, card, 'confirmed');
  if (attempted.outcome === 'refused') return attempted.refusal;
  if (redeemed !== null) countRedemption(world, redeemed);
  if (customer !== null && order.paymentIntentData.setup_future_usage !== undefined)
    attachCard(world, card, customer);
  session.payment_status = 'paid';
  return null;
}

function paySubscription(
  world: World,
  session: Stripe.Checkout.Session,
  order: SessionOrder,
  typed: CardTyped,
): CardRefusal | null {
  const data = order.subscriptionData;
  const [line] = order.lines;
  if (line === undefined) throw new Error(`${session.id} has no line items`);
  const now = world.nowFor(idOf(session.customer));
  const trialEnd =
    data.trial_end ?? (data.trial_period_days === undefined ? null : now + data.trial_period_days * 86_400);
  const refusal = trialEnd === null ? refusalOfCharge(typed.number) : refusalOfSetup(typed.number);
  if (refusal !== null) return refusal;
  const known = idOf(session.customer);
  if (known !== null) refuseOtherCurrency(world, known, session.currency ?? 'usd');
  const customer = customerFor(world, session, typed, true);
  if (customer === null) throw new Error(`${session.id} sells a subscription to nobody`);
  const card = createCard(world, typed, now);
  attachCard(world, card, customer);
  const { subscription, invoice } = startSubscription(world, {
    customer,
    price: world.tables.prices.known(line.price),
    currency: session.currency ?? 'usd',
    quantity: line.quantity,
    trialEnd,
    metadata: stringMap(data.metadata),
    itemMetadata: {},
    description: data.description ?? null,
    paymentMethod: card.id,
    missingPaymentMethod: data.trial_settings?.end_behavior.missing_payment_method ?? 'create_invoice',
    automaticTax: session.automatic_tax.enabled,
    billingMode: data.billing_mode?.type ?? 'flexible',
    statusWithoutTrial: 'active',
    discount: discountOfSession(session),
    session: session.id,
  });
  finalizeInvoice(world, invoice);
  collectInvoice(world, invoice, { presence: 'confirmed' });
  session.subscription = subscription.id;
  session.invoice = invoice.id;
  session.payment_status = trialEnd === null ? 'paid' : 'no_payment_required';
  return null;
}

function stringMap(metadata: Stripe.MetadataParam | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata ?? {}).map(([key, value]) => [key, String(value)]));
}
