import type Stripe from 'stripe';
import { collectAndFollowUp } from '../engine/dunning.ts';
import { subscriptionOf } from '../engine/invoices.ts';
import { cardOf } from '../engine/payments.ts';
import { renderInvoice } from '../pages/invoice.ts';
import type { InvoiceView } from '../pages/views.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { MERCHANT } from './checkout-view.ts';
import type { HostedAnswer } from './html-response.ts';
import { invoiceStatus } from './portal-view.ts';

function cardFor(world: World, invoice: Stripe.Invoice): Stripe.PaymentMethod | null {
  const customer = world.tables.customers.get(idOf(invoice.customer));
  const own = idOf(subscriptionOf(world, invoice)?.default_payment_method ?? null);
  return customer === undefined ? null : cardOf(world, customer, own);
}

function viewOf(world: World, invoice: Stripe.Invoice, error?: string): InvoiceView {
  return {
    merchant: MERCHANT,
    invoiceId: invoice.id,
    number: invoice.number ?? invoice.id,
    created: invoice.created,
    status: invoiceStatus(invoice),
    currency: invoice.currency,
    total: invoice.total,
    amountDue: invoice.amount_due,
    lines: invoice.lines.data.map((line) => ({
      description: line.description ?? 'Item',
      amount: line.amount,
    })),
    last4: cardFor(world, invoice)?.card?.last4 ?? null,
    error,
  };
}

/** An invoice's hosted page: shows it (`form` null), or pays it with the customer there to answer their bank. */
export function answerInvoice(world: World, id: string, form: URLSearchParams | null): HostedAnswer {
  const invoice = world.tables.invoices.inPath(id, 'invoice');
  const card = cardFor(world, invoice);
  if (form === null || invoice.status !== 'open' || card === null)
    return { status: 200, html: renderInvoice(viewOf(world, invoice)) };
  const here = `${world.options.baseUrl}/i/${invoice.id}`;
  const collected = collectAndFollowUp(world, invoice, { card, presence: 'there', returnUrl: here });
  switch (collected.outcome) {
    case 'paid':
      return { location: here };
    case 'asks': {
      const payment = world.tables.invoice_payments.find((row) => row.invoice === invoice.id);
      return { location: `${world.options.baseUrl}/3ds/${idOf(payment?.payment.payment_intent)}` };
    }
    case 'refused':
      return { status: 402, html: renderInvoice(viewOf(world, invoice, collected.refusal.message)) };
    case 'no_card':
      return { status: 200, html: renderInvoice(viewOf(world, invoice)) };
    default:
      return collected satisfies never;
  }
}
