import { renderCardFields, renderErrorSummary, renderTestCards } from './card-fields.ts';
import { formatDay } from './dates.js';
import { html, type SafeHtml } from './html.ts';
import { safeHref } from './links.ts';
import { formatMoney } from './money.js';
import { readAsset, renderPage } from './page.ts';
import { renderSubscription } from './portal-subscription.ts';
import { renderSimulationBanner } from './simulation-banner.ts';
import type { PortalInvoice, PortalView } from './views.ts';

const STYLE = readAsset('styles/hosted.css') + readAsset('styles/portal.css');
const SCRIPT = readAsset('scripts/card-form.js');

const INVOICE_STATUS: Readonly<Record<PortalInvoice['status'], string>> = {
  draft: 'Draft',
  open: 'Due',
  paid: 'Paid',
  uncollectible: 'Uncollectible',
  void: 'Void',
};

function brandName(brand: string): string {
  return brand === 'amex' ? 'American Express' : brand.charAt(0).toUpperCase() + brand.slice(1);
}

function renderPaymentMethod(view: PortalView): SafeHtml {
  const card = view.paymentMethod;
  return html`<section aria-labelledby="payment-method">
<h2 id="payment-method">Payment method</h2>
<p class="card-line">${card ? `${brandName(card.brand)} •••• ${card.last4}` : 'No card is saved.'}</p>
${
  view.cardUpdate !== false &&
  html`<details class="step" ${view.error?.field && html`open`}>
  <summary class="secondary">${card ? 'Update card' : 'Add card'}</summary>
  <form method="post" class="panel">
    ${renderTestCards()}
    ${renderCardFields(view.error)}
    <button class="primary" name="action" value="update_card">Save card</button>
  </form>
</details>`
}
</section>`;
}

function renderInvoice(invoice: PortalInvoice): SafeHtml {
  return html`<tr data-invoice="${invoice.id}">
  <th scope="row"><a href="/i/${invoice.id}">${formatDay(invoice.created)}</a></th>
  <td class="number">${formatMoney(invoice.amount, invoice.currency)}</td>
  <td><span class="badge ${invoice.status === 'paid' ? 'good' : invoice.status === 'open' ? 'warn' : 'quiet'}">${INVOICE_STATUS[invoice.status]}</span></td>
</tr>`;
}

function renderInvoices({ invoices }: PortalView): SafeHtml | undefined {
  if (invoices === null) return undefined;
  return html`<section aria-labelledby="invoices">
<h2 id="invoices">Invoice history</h2>
${
  invoices.length === 0
    ? html`<p class="muted">No invoices yet.</p>`
    : html`<table aria-labelledby="invoices">
<thead><tr><th scope="col">Date</th><th scope="col" class="number">Amount</th><th scope="col">Status</th></tr></thead>
<tbody>${invoices.map(renderInvoice)}</tbody>
</table>`
}
</section>`;
}

/**
 * A customer's billing portal. Each form posts to the page's own address, URL-encoded: `action=cancel` or
 * `action=uncancel` with subscription; `action=switch` with subscription and price; `action=update_card` with
 * number, exp, cvc. Cancelling takes two steps: the summary "Cancel plan" opens the form whose button cancels.
 */
export function renderPortal(view: PortalView): string {
  return renderPage({
    title: `${view.error ? 'Error: ' : ''}Billing – ${view.merchant} (simulation)`,
    style: STYLE,
    script: SCRIPT,
    body: html`${renderSimulationBanner()}
<div class="portal">
<header>
  <a class="back" href="${safeHref(view.returnUrl)}"><span aria-hidden="true">←</span> Return to ${view.merchant}</a>
  <h1>Billing</h1>
  ${view.customerEmail && html`<p class="muted">${view.customerEmail}</p>`}
</header>
<main>
${renderErrorSummary(view.error)}
${view.notice && html`<p class="notice" role="status">${view.notice}</p>`}
<section aria-labelledby="plans">
<h2 id="plans">Current plan</h2>
${
  view.subscriptions.length === 0
    ? html`<p class="muted">There is no subscription.</p>`
    : view.subscriptions.map((subscription) => renderSubscription(subscription, view.cancellation))
}
</section>
${renderPaymentMethod(view)}
${renderInvoices(view)}
</main>
</div>`,
  });
}
