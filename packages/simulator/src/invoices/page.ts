import type Stripe from 'stripe';
import { formatDay } from '../pages/dates.js';
import { formatMoney } from '../pages/money.js';
import {
  type HostedAnswer,
  html,
  readAsset,
  renderPage,
  renderSimulationBanner,
  type SafeHtml,
} from '../pages/page.ts';
import type { InvoiceView } from '../pages/views.ts';
import { cardOf } from '../payments/attempt.ts';
import { invoiceStatus } from '../portal/page.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { subscriptionOf } from './collect.ts';
import { collectAndFollowUp } from './dunning.ts';

const STYLE = readAsset('styles/hosted.css');

const SAYS: Readonly<Record<InvoiceView['status'], string>> = {
  draft: 'This invoice is not final yet.',
  open: 'This invoice is due.',
  paid: 'This invoice is paid.',
  uncollectible: 'This invoice was written off.',
  void: 'This invoice is void. Nothing is due.',
};

function renderPay({ amountDue, currency, last4 }: InvoiceView): SafeHtml {
  return last4 === null
    ? html`<p class="muted">There is no card to pay it with. Add one where you manage your plan.</p>`
    : html`<form method="post" class="choices">
  <input type="hidden" name="action" value="pay">
  <button class="primary">Pay ${formatMoney(amountDue, currency)} with the card ending in ${last4}</button>
</form>`;
}

/** An invoice as its own page shows it. Posts `action=pay` to the page's own address while something is due. */
function renderInvoice(view: InvoiceView): string {
  return renderPage({
    title: `Invoice ${view.number} – ${view.merchant} (simulation)`,
    style: STYLE,
    body: html`${renderSimulationBanner()}
<main class="sheet" data-invoice="${view.invoiceId}">
<h1>Invoice ${view.number}</h1>
<p><strong>${view.merchant}</strong>, ${formatDay(view.created)}. ${SAYS[view.status]}</p>
${view.error === undefined ? undefined : html`<p class="error-summary" role="alert">${view.error}</p>`}
<ul>${view.lines.map((line) => html`<li>${line.description}: ${formatMoney(line.amount, view.currency)}</li>`)}</ul>
<p>Total: ${formatMoney(view.total, view.currency)}</p>
${view.status === 'open' ? renderPay(view) : undefined}
</main>`,
  });
}

function cardFor(world: World, invoice: Stripe.Invoice): Stripe.PaymentMethod | null {
  const customer = world.tables.customers.get(idOf(invoice.customer));
  const own = idOf(subscriptionOf(world, invoice)?.default_payment_method ?? null);
  return customer === undefined ? null : cardOf(world, customer, own);
}

function viewOf(world: World, invoice: Stripe.Invoice, error?: string): InvoiceView {
  return {
    merchant: world.options.merchant,
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
