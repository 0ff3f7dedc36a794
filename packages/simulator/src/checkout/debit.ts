import type Stripe from 'stripe';
import { makeCustomer } from '../customers/customer.ts';
import { makePaymentIntent } from '../payments/attempt.ts';
import { bookCharge } from '../payments/balance.ts';
import { makeCharge } from '../payments/charge.ts';
import { idOf } from '../state/ids.ts';
import type { SessionOrder, World } from '../state/world.ts';

/** Stripe's test accounts whose debit fails (docs.stripe.com/payments/sepa-debit); any other one is debited. */
const FAILING = new Set(['AT861904300235473202', 'DE62370400440532013001', 'IT60X0542811101000000123456']);
const MESSAGE = 'The bank refused the debit.';

/**
 * Completes an open one-time session with a bank debit. The money comes later than the session is complete
 * (`payment_status: unpaid`); in test mode the bank answers at once, and its answer is an event of its own.
 */
export function paySessionByDebit(
  world: World,
  session: Stripe.Checkout.Session,
  order: SessionOrder,
  method: Stripe.PaymentMethod,
): void {
  const customer = customerOf(world, session, order, method);
  const scope = world.scopeOf(customer);
  const now = world.clock.now(scope);
  const data = order.paymentIntentData;
  const metadata = Object.entries(data.metadata ?? {}).map(([key, value]) => [key, String(value)]);
  const intent = world.tables.payment_intents.insert(
    makePaymentIntent(now, {
      amount: session.amount_total ?? 0,
      currency: session.currency ?? 'eur',
      customer,
      metadata: Object.fromEntries(metadata),
      description: data.description ?? null,
      paymentMethod: method.id,
      receiptEmail: data.receipt_email ?? null,
      setupFutureUsage: data.setup_future_usage ?? null,
    }),
  );
  intent.payment_method_types = ['sepa_debit'];
  world.emit('payment_intent.created', intent, scope);
  intent.status = 'processing';
  const charge = world.tables.charges.insert(pendingCharge(now, intent, method));
  intent.latest_charge = charge.id;
  world.emit('payment_intent.processing', intent, scope);
  world.emit('charge.pending', charge, scope);

  session.payment_intent = intent.id;
  session.status = 'complete';
  session.url = null;
  world.emit('checkout.session.completed', session, scope);
  if (FAILING.has(world.facts.cardNumbers.get(method.id) ?? '')) fail(world, session, intent, charge, method);
  else succeed(world, session, intent, charge);
}

function customerOf(
  world: World,
  session: Stripe.Checkout.Session,
  order: SessionOrder,
  method: Stripe.PaymentMethod,
): string | null {
  const wanted =
    session.customer_creation === 'always' || order.paymentIntentData.setup_future_usage !== undefined;
  const known = idOf(session.customer);
  if (known !== null || !wanted) return known;
  const { email, name } = method.billing_details;
  const customer = world.tables.customers.insert(makeCustomer(world.clock.now(), { email, name }));
  session.customer = customer.id;
  world.emit('customer.created', customer, null);
  return customer.id;
}

function pendingCharge(
  now: number,
  intent: Stripe.PaymentIntent,
  method: Stripe.PaymentMethod,
): Stripe.Charge {
  const debit = method.sepa_debit;
  return {
    ...makeCharge(now, intent, method, null),
    paid: false,
    status: 'pending',
    payment_method_details: {
      sepa_debit: {
        bank_code: debit?.bank_code ?? null,
        branch_code: debit?.branch_code ?? null,
        country: debit?.country ?? null,
        fingerprint: debit?.fingerprint ?? null,
        last4: debit?.last4 ?? null,
        mandate: null,
      },
      type: 'sepa_debit',
    },
  };
}

function succeed(
  world: World,
  session: Stripe.Checkout.Session,
  intent: Stripe.PaymentIntent,
  charge: Stripe.Charge,
): void {
  const scope = world.scopeOf(idOf(intent.customer));
  charge.status = 'succeeded';
  charge.paid = true;
  bookCharge(world, charge, scope);
  intent.status = 'succeeded';
  intent.amount_received = intent.amount;
  session.payment_status = 'paid';
  world.emit('charge.succeeded', charge, scope);
  world.emit('payment_intent.succeeded', intent, scope);
  world.emit('checkout.session.async_payment_succeeded', session, scope);
}

function fail(
  world: World,
  session: Stripe.Checkout.Session,
  intent: Stripe.PaymentIntent,
  charge: Stripe.Charge,
  method: Stripe.PaymentMethod,
): void {
  const scope = world.scopeOf(idOf(intent.customer));
  charge.status = 'failed';
  charge.captured = false;
  charge.amount_captured = 0;
  charge.failure_code = 'generic_could_not_process';
  charge.failure_message = MESSAGE;
  intent.status = 'requires_payment_method';
  intent.payment_method = null;
  const code = 'payment_intent_payment_attempt_failed';
  intent.last_payment_error = {
    charge: charge.id,
    code,
    message: MESSAGE,
    payment_method: method,
    type: 'invalid_request_error',
  };
  world.emit('charge.failed', charge, scope);
  world.emit('payment_intent.payment_failed', intent, scope);
  world.emit('checkout.session.async_payment_failed', session, scope);
}
