import { renderCardFields, renderErrorSummary, renderTestCards } from '../pages/card-form.ts';
import { formatDay } from '../pages/dates.js';
import { formatMoney } from '../pages/money.js';
import {
  html,
  priceText,
  readAsset,
  renderPage,
  renderSimulationBanner,
  type SafeHtml,
  safeHref,
} from '../pages/page.ts';
import type { PortalInvoice, PortalSubscription, PortalView } from '../pages/views.ts';

/** The plans that a subscription can be switched to, one of which is chosen and confirmed. */
function renderSwitch(subscription: PortalSubscription): SafeHtml | undefined {
  const { id, switches = [] } = subscription;
  if (switches.length === 0) return undefined;
  return html`<details class="step">
  <summary class="secondary">Update plan</summary>
  <form method="post" class="panel">
    <input type="hidden" name="subscription" value="${id}">
    <fieldset>
      <legend>Choose a plan</legend>
      ${switches.map(
        (plan) => html`<label class="choice"><input type="radio" name="price" value="${plan.id}" required>
        ${plan.planName}, ${priceText(plan.amount, plan.currency, plan.interval)}</label>`,
      )}
    </fieldset>
    <button class="primary" name="action" value="switch">Confirm the new plan</button>
  </form>
</details>`;
}

type Status = PortalSubscription['status'];
type Cancellation = NonNullable<PortalView['cancellation']>;

const STATUS_TEXT: Readonly<Record<Status, string>> = {
  trialing: 'Trial',
  active: 'Active',
  past_due: 'Past due',
  unpaid: 'Unpaid',
  incomplete: 'Incomplete',
  incomplete_expired: 'Expired',
  paused: 'Paused',
  canceled: 'Canceled',
};

function hasEnded(status: Status): boolean {
  return status === 'canceled' || status === 'incomplete_expired';
}

/** What happens next with the plan, and when. */
function nextSentence(subscription: PortalSubscription): string {
  const { status, cancelAt, trialEnd, currentPeriodEnd, changesTo } = subscription;
  const price = priceText(subscription.amount, subscription.currency, subscription.interval);
  if (hasEnded(status)) return 'This plan has ended.';
  if (changesTo !== undefined)
    return `Your plan changes to ${changesTo.planName} on ${formatDay(changesTo.at)}.`;
  if (cancelAt !== null) return `Your plan ends on ${formatDay(cancelAt)}. It will not renew.`;
  switch (status) {
    case 'trialing':
      return `Your trial ends on ${formatDay(trialEnd ?? currentPeriodEnd)}. Then ${price}.`;
    case 'past_due':
    case 'unpaid':
      return 'The last payment failed. Update your card to keep the plan.';
    case 'incomplete':
      return 'The first payment is not complete.';
    case 'paused':
      return 'Your plan is paused. Nothing is charged until it resumes.';
    default:
      return `Your plan renews on ${formatDay(currentPeriodEnd)}.`;
  }
}

/** What a customer agrees to by cancelling. */
function cancelSentence(subscription: PortalSubscription, cancellation: Cancellation): string {
  if (cancellation === 'immediately')
    return `${subscription.planName} ends at once, and nothing more is charged.`;
  const end =
    subscription.status === 'trialing'
      ? (subscription.trialEnd ?? subscription.currentPeriodEnd)
      : subscription.currentPeriodEnd;
  return `${subscription.planName} stays yours until ${formatDay(end)}; then it ends and nothing more is charged. You can change your mind before that day.`;
}

function renderCancel(subscription: PortalSubscription, cancellation: Cancellation): SafeHtml {
  return html`<details class="step">
  <summary class="secondary">Cancel plan</summary>
  <form method="post" class="panel">
    <input type="hidden" name="subscription" value="${subscription.id}">
    <p>${cancelSentence(subscription, cancellation)}</p>
    <button class="danger" name="action" value="cancel">Confirm cancellation</button>
  </form>
</details>`;
}

function renderUndo(subscription: PortalSubscription): SafeHtml {
  return html`<form method="post">
  <input type="hidden" name="subscription" value="${subscription.id}">
  <button class="primary" name="action" value="uncancel">Don't cancel</button>
</form>`;
}

function renderKeep(subscription: PortalSubscription): SafeHtml {
  return html`<form method="post">
  <input type="hidden" name="subscription" value="${subscription.id}">
  <button class="primary" name="action" value="keep">Don't change plan</button>
</form>`;
}

function renderActions(subscription: PortalSubscription, cancellation: Cancellation): SafeHtml | undefined {
  if (hasEnded(subscription.status)) return undefined;
  if (subscription.cancelAt !== null) return renderUndo(subscription);
  if (subscription.changesTo !== undefined) return renderKeep(subscription);
  return html`${renderSwitch(subscription)}${cancellation !== 'off' && renderCancel(subscription, cancellation)}`;
}

function tone(subscription: PortalSubscription): string {
  if (['past_due', 'unpaid', 'incomplete'].includes(subscription.status)) return 'warn';
  return hasEnded(subscription.status) || subscription.cancelAt !== null ? 'quiet' : 'good';
}

/** One plan with its price, its state in words, and the one thing that can be done about it. */
function renderSubscription(
  subscription: PortalSubscription,
  cancellation: Cancellation = 'at_period_end',
): SafeHtml {
  const scheduled = subscription.cancelAt !== null && !hasEnded(subscription.status);
  return html`<article class="plan" data-subscription="${subscription.id}" data-status="${subscription.status}">
  <div class="plan-head">
    <h3>${subscription.planName}</h3>
    <span class="badge ${tone(subscription)}">${scheduled ? 'Cancels soon' : STATUS_TEXT[subscription.status]}</span>
  </div>
  <p class="plan-price">${priceText(subscription.amount, subscription.currency, subscription.interval)}</p>
  <p class="plan-next">${nextSentence(subscription)}</p>
  ${renderActions(subscription, cancellation)}
</article>`;
}

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
    ${renderCardFields(view.error)}
    <button class="primary" name="action" value="update_card">Save card</button>
    ${renderTestCards()}
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
 * `action=uncancel` or `action=keep` with subscription; `action=switch` with subscription and price; `action=update_card` with
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
