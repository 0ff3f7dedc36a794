import { formatDay } from './dates.js';
import { html, type SafeHtml } from './html.ts';
import { formatMoney } from './money.js';
import { readAsset, renderPage } from './page.ts';
import { renderSimulationBanner } from './simulation-banner.ts';
import type { InvoiceView } from './views.ts';

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
export function renderInvoice(view: InvoiceView): string {
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
