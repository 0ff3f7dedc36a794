import type Stripe from 'stripe';
import { applyBalance, unapplyBalance } from '../customers/customer.ts';
import { invalidRequest } from '../http/errors.ts';
import { attemptPayment, cardOf, makePaymentIntent } from '../payments/attempt.ts';
import type { CardRefusal, Presence } from '../payments/cards.ts';
import { discountOn, endOnceOnly } from '../prices/discounts.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { type LineGiven, makeInvoice, makeInvoicePayment } from './invoice.ts';

/** A renewal's invoice can be changed for an hour before it is charged. */
export const DRAFT_SECONDS = 3600;

interface DraftGiven {
  reason: Stripe.Invoice.BillingReason;
  period: { start: number; end: number };
  lines: LineGiven[];
  finalizesAt: number | null;
}

/** The subscription that an invoice is for. */
export function subscriptionOf(world: World, invoice: Stripe.Invoice): Stripe.Subscription | undefined {
  return world.tables.subscriptions.get(idOf(invoice.parent?.subscription_details?.subscription));
}

/** What waits for a subscription's next invoice: its prorations, and what was put on the customer's account. */
export function waitingItems(world: World, subscription: Stripe.Subscription): Stripe.InvoiceItem[] {
  const customer = idOf(subscription.customer);
  return world.tables.invoice_items.filter((row) => {
    const owner = row.parent?.subscription_details?.subscription ?? subscription.id;
    const fits = row.customer === customer && row.currency === subscription.currency;
    return row.invoice === null && fits && owner === subscription.id;
  });
}

/** A draft, made the subscription's latest. Says nothing yet: the caller emits what has to come first. */
export function draftInvoice(
  world: World,
  subscription: Stripe.Subscription,
  given: DraftGiven,
): Stripe.Invoice {
  const customer = world.tables.customers.known(idOf(subscription.customer));
  const now = world.nowFor(customer.id);
  const discountable = given.lines.reduce((sum, line) => sum + line.amount, 0);
  const discount = discountOn(world, subscription, discountable);
  if (discount !== null) endOnceOnly(world, subscription);
  const items = given.reason === 'subscription_create' ? [] : waitingItems(world, subscription);
  const invoice = world.tables.invoices.insert(
    makeInvoice(now, { ...given, merchant: world.options.merchant, items, subscription, customer, discount }),
  );
  for (const item of items) item.invoice = invoice.id;
  subscription.latest_invoice = invoice.id;
  return invoice;
}

/** Draft → open: it gets its number, its page, its metadata snapshot, and a payment intent when money is due. */
export function finalizeInvoice(world: World, invoice: Stripe.Invoice, advances = true): void {
  if (invoice.status !== 'draft')
    throw invalidRequest(
      "This invoice is already finalized, you can't re-finalize a non-draft invoice.",
      undefined,
      'invoice_not_editable',
    );
  const customer = world.tables.customers.known(idOf(invoice.customer));
  const scope = world.scopeOf(customer.id);
  const now = world.clock.now(scope);
  const sequence = customer.next_invoice_sequence ?? 1;
  customer.next_invoice_sequence = sequence + 1;
  const details = invoice.parent?.subscription_details;
  const subscription = subscriptionOf(world, invoice);
  if (details && subscription) details.metadata = { ...subscription.metadata };
  invoice.status = 'open';
  invoice.auto_advance = advances && (subscription !== undefined || invoice.auto_advance === true);
  invoice.number = `${customer.invoice_prefix ?? 'SIM'}-${String(sequence).padStart(4, '0')}`;
  invoice.effective_at = now;
  applyBalance(world, invoice, customer);
  invoice.automatically_finalizes_at = null;
  invoice.status_transitions.finalized_at = now;
  invoice.hosted_invoice_url = `${world.options.baseUrl}/i/${invoice.id}`;
  invoice.invoice_pdf = `${world.options.baseUrl}/i/${invoice.id}/pdf`;
  if (invoice.amount_due > 0) {
    const intent = makePaymentIntent(now, {
      amount: invoice.amount_due,
      currency: invoice.currency,
      customer: customer.id,
      metadata: {},
      description:
        invoice.billing_reason === 'subscription_create' ? 'Subscription creation' : 'Subscription update',
      paymentMethod: null,
      receiptEmail: null,
      setupFutureUsage: 'off_session',
    });
    intent.capture_method = 'automatic';
    world.tables.payment_intents.insert(intent);
    world.facts.invoiceOfIntent.set(intent.id, invoice.id);
    world.tables.invoice_payments.insert(makeInvoicePayment(now, invoice, intent.id));
    world.emit('payment_intent.created', intent, scope);
  }
  world.emit('invoice.finalized', invoice, scope);
}

/** The invoice that a payment intent pays, while it is open. */
export function openInvoiceOf(world: World, intent: Stripe.PaymentIntent): Stripe.Invoice | undefined {
  const invoice = world.tables.invoices.get(world.facts.invoiceOfIntent.get(intent.id));
  return invoice?.status === 'open' ? invoice : undefined;
}

/** The payment intent that an open invoice is paid with; a $0 invoice has none. */
function intentOf(world: World, invoice: Stripe.Invoice): Stripe.PaymentIntent | undefined {
  const payment = world.tables.invoice_payments.find((row) => row.invoice === invoice.id);
  return world.tables.payment_intents.get(idOf(payment?.payment.payment_intent));
}

/** Whether the newest thing that became of any of a customer's invoices was a payment that failed. */
export function markDelinquent(world: World, invoice: Stripe.Invoice, is: boolean): void {
  const customer = world.tables.customers.get(idOf(invoice.customer));
  if (customer === undefined) return;
  world.change('customer.updated', customer, world.scopeOf(customer.id), (row) => {
    row.delinquent = is;
  });
}

/** Records that an invoice is paid, by its intent or because nothing was due, and says so. */
function settleInvoice(world: World, invoice: Stripe.Invoice): void {
  const scope = world.scopeOf(idOf(invoice.customer));
  const now = world.clock.now(scope);
  invoice.status = 'paid';
  invoice.attempted = true;
  invoice.amount_paid = invoice.amount_due;
  invoice.amount_remaining = 0;
  invoice.next_payment_attempt = null;
  invoice.auto_advance = false;
  invoice.status_transitions.paid_at = now;
  markDelinquent(world, invoice, false);
  const payment = world.tables.invoice_payments.find((row) => row.invoice === invoice.id);
  if (payment !== undefined) {
    payment.status = 'paid';
    payment.amount_paid = invoice.amount_due;
    payment.status_transitions.paid_at = now;
    world.emit('invoice_payment.paid', payment, scope);
  }
  world.emit('invoice.paid', invoice, scope);
  world.emit('invoice.payment_succeeded', invoice, scope);
}

/** What came of an attempt to collect an invoice. */
export type Collected =
  | { outcome: 'paid' }
  | { outcome: 'refused'; refusal: CardRefusal; charge: Stripe.Charge }
  | { outcome: 'asks' }
  | { outcome: 'no_card' };

/** How an invoice is charged. */
export interface Collecting {
  /** The customer's or the subscription's own where none is named. */
  card?: Stripe.PaymentMethod;
  presence: Presence;
  returnUrl?: string | null;
}

/** Keeps the card that paid as the subscription's own, if the subscription asks for that. */
function saveDefaultCard(
  world: World,
  subscription: Stripe.Subscription | undefined,
  card: Stripe.PaymentMethod,
): void {
  if (subscription?.payment_settings?.save_default_payment_method !== 'on_subscription') return;
  world.change(
    'customer.subscription.updated',
    subscription,
    world.scopeOf(idOf(subscription.customer)),
    (row) => {
      row.default_payment_method = card.id;
    },
  );
}

/**
 * Charges an open invoice once. What a refusal means for the subscription is dunning's matter. A bank's question to a
 * customer who is there is no attempt yet: `attempt_count` stays (recorded: 0 for a first invoice, `attempted` true).
 */
export function collectInvoice(
  world: World,
  invoice: Stripe.Invoice,
  { card, presence, returnUrl = null }: Collecting,
): Collected {
  const intent = intentOf(world, invoice);
  if (intent === undefined || invoice.amount_due === 0) {
    settleInvoice(world, invoice);
    return { outcome: 'paid' };
  }
  const customer = world.tables.customers.known(idOf(invoice.customer));
  const subscription = subscriptionOf(world, invoice);
  const method = card ?? cardOf(world, customer, idOf(subscription?.default_payment_method ?? null));
  invoice.attempted = true;
  const attempted = method === null ? null : attemptPayment(world, intent, method, presence, returnUrl);
  if (attempted?.outcome !== 'asks' || presence === 'away') invoice.attempt_count += 1;
  if (attempted === null) return { outcome: 'no_card' };
  if (attempted.outcome !== 'paid') return attempted;
  if (method !== null) saveDefaultCard(world, subscription, method);
  settleInvoice(world, invoice);
  return { outcome: 'paid' };
}

/** Gives an open invoice up: void as if it had never been, or written off as uncollectible. */
export function closeInvoice(
  world: World,
  invoice: Stripe.Invoice,
  status: 'void' | 'uncollectible',
): Stripe.Invoice {
  if (invoice.status !== 'open')
    throw invalidRequest(
      `You can only do this to an open invoice. This one is ${invoice.status}.`,
      undefined,
      'status_transition_invalid',
    );
  const scope = world.scopeOf(idOf(invoice.customer));
  const now = world.clock.now(scope);
  invoice.status = status;
  invoice.auto_advance = false;
  invoice.next_payment_attempt = null;
  if (status === 'void') {
    invoice.status_transitions.voided_at = now;
    unapplyBalance(world, invoice, world.tables.customers.known(idOf(invoice.customer)));
  }
  if (status === 'uncollectible') {
    invoice.status_transitions.marked_uncollectible_at = now;
    markDelinquent(world, invoice, false);
  }
  world.emit(status === 'void' ? 'invoice.voided' : 'invoice.marked_uncollectible', invoice, scope);
  return invoice;
}
