import { renderCardFields, renderErrorSummary, renderField, renderTestCards } from '../pages/card-form.ts';
import { formatDay } from '../pages/dates.js';
import { formatMoney } from '../pages/money.js';
import {
  daysText,
  html,
  priceText,
  readAsset,
  renderPage,
  renderSimulationBanner,
  type SafeHtml,
  safeHref,
} from '../pages/page.ts';
import type { CheckoutLine, CheckoutView } from '../pages/views.ts';

function intervalOf(view: CheckoutView): CheckoutLine['interval'] {
  return view.lineItems.find((line) => line.interval !== null)?.interval ?? null;
}

function renderHeadline(view: CheckoutView): SafeHtml {
  const name = view.lineItems.map((line) => line.name).join(', ');
  if (view.mode === 'payment') {
    return html`<h1>Pay ${view.merchant}</h1>
<p class="headline-amount">${formatMoney(view.amountDueToday, view.currency)}</p>`;
  }
  if (view.trialDays !== null) {
    return html`<h1>Try ${name}</h1>
<p class="headline-amount">${daysText(view.trialDays)} free</p>
<p class="headline-after">${trialSentence(view)}</p>`;
  }
  return html`<h1>Subscribe to ${name}</h1>
<p class="headline-amount">${priceText(view.amountDueToday, view.currency, intervalOf(view))}</p>`;
}

/** What the customer will owe once the trial is over, and when: `Then $9.00 per month, from November 28, 2026`. */
function trialSentence(view: CheckoutView): string {
  const after = view.amountAfterTrial ?? 0;
  const from = view.trialEndsAt === null ? '' : `, from ${formatDay(view.trialEndsAt)}`;
  return `Then ${priceText(after, view.currency, intervalOf(view))}${from}`;
}

function renderLine(line: CheckoutLine): SafeHtml {
  const quantity = line.quantity ?? 1;
  return html`<li class="line">
  <div><p class="line-name">${line.name}</p>
  ${line.description && html`<p class="line-note">${line.description}</p>`}
  ${quantity > 1 && html`<p class="line-note">Qty ${quantity}</p>`}
  ${line.interval && html`<p class="line-note">Billed every ${line.interval}</p>`}</div>
  <p class="line-amount">${formatMoney(line.amount, line.currency)}</p>
</li>`;
}

function renderTotal(term: string, amount: string, className = ''): SafeHtml {
  return html`<div class="total ${className}"><dt>${term}</dt><dd>${amount}</dd></div>`;
}

function renderTotals(view: CheckoutView): SafeHtml {
  const subtotal = view.lineItems.reduce((sum, line) => sum + line.amount, 0);
  const money = (amount: number) => formatMoney(amount, view.currency);
  return html`<dl class="totals">
${renderTotal('Subtotal', money(subtotal))}
${view.discount && renderTotal(`Discount (${view.discount.code})`, money(-view.discount.amount))}
${view.automaticTax && renderTotal('Tax', view.taxAmount === undefined ? 'Added automatically' : money(view.taxAmount))}
${view.amountAfterTrial !== null && renderTotal('Total after trial', money(view.amountAfterTrial))}
${renderTotal('Total due today', money(view.amountDueToday), 'total-due')}
</dl>`;
}

function renderPromotion(view: CheckoutView): SafeHtml {
  const error = view.error?.field === 'promotion_code' ? view.error : undefined;
  const open = error !== undefined;
  return html`<details class="promotion" ${open && html`open`}>
  <summary>Add promotion code</summary>
  <form method="post" class="promotion-form">
    <label for="promotion_code">Promotion code</label>
    <div class="promotion-row">
      <input id="promotion_code" name="promotion_code" autocomplete="off" required${error && html` aria-invalid="true" aria-describedby="promotion_code-error" autofocus`}>
      <button class="secondary" name="action" value="promotion">Apply</button>
    </div>
    ${error && html`<p class="field-error" id="promotion_code-error" role="alert" data-code="${error.code}">${error.message}</p>`}
  </form>
</details>`;
}

/** The left column: the way back, what is bought, and what it costs today and later. */
function renderCheckoutSummary(view: CheckoutView): SafeHtml {
  return html`<section class="summary" aria-label="Order summary">
<div class="merchant">
  ${
    view.cancelUrl !== null &&
    html`<form method="post"><button class="back" name="action" value="cancel"><span aria-hidden="true">←</span> Back</button></form>`
  }
  <p class="merchant-name">${view.merchant}</p>
</div>
${renderHeadline(view)}
<ul class="lines">${view.lineItems.map(renderLine)}</ul>
${view.allowPromotionCodes && !view.discount && renderPromotion(view)}
${renderTotals(view)}
</section>`;
}

const STYLE = readAsset('styles/hosted.css') + readAsset('styles/checkout.css');
const SCRIPT = readAsset('scripts/card-form.js');

function submitLabel(view: CheckoutView): string {
  if (view.mode === 'subscription') return view.trialDays === null ? 'Subscribe' : 'Start trial';
  return view.amountDueToday === 0
    ? 'Complete order'
    : `Pay ${formatMoney(view.amountDueToday, view.currency)}`;
}

/** A subscription always leaves a card for its renewals; a payment of nothing needs none. */
function needsCard(view: CheckoutView): boolean {
  return view.mode === 'subscription' || view.amountDueToday > 0;
}

function renderTerms(view: CheckoutView): SafeHtml | undefined {
  if (view.mode !== 'subscription') return undefined;
  const renewal = view.lineItems.find((line) => line.interval !== null);
  if (renewal === undefined) return undefined;
  const price = (amount: number) => priceText(amount, view.currency, renewal.interval);
  const terms =
    view.trialEndsAt === null
      ? `${price(view.amountDueToday)} until you cancel.`
      : `Free until ${formatDay(view.trialEndsAt)}. Then ${price(view.amountAfterTrial ?? 0)} until you cancel.`;
  return html`<p class="terms">${terms}</p>`;
}

function renderForm(view: CheckoutView): SafeHtml {
  const formError = view.error?.field === 'promotion_code' ? undefined : view.error;
  const email = view.customerEmail ?? view.typed?.email;
  return html`<main class="payment">
${renderErrorSummary(view.error)}
<form method="post" class="payment-form" data-session="${view.sessionId}">
  <h2>Contact information</h2>
  ${renderField(
    {
      name: 'email',
      label: 'Email',
      autocomplete: 'email',
      type: 'email',
      inputmode: 'email',
      placeholder: 'you@example.com',
      value: email,
      readOnly: view.customerEmail !== null,
    },
    formError,
  )}
  ${
    needsCard(view) &&
    html`<h2>Payment method</h2>
  ${renderCardFields(formError)}
  ${renderField({ name: 'name', label: 'Cardholder name', autocomplete: 'cc-name', placeholder: 'Full name on card', value: view.typed?.name }, formError)}`
  }
  <button class="primary" name="action" value="pay">${submitLabel(view)}</button>
  ${renderTerms(view)}
  ${needsCard(view) && renderTestCards()}
</form>
</main>`;
}

/**
 * The hosted checkout page of an open session. Its form posts to the page's own address, URL-encoded:
 * `action=pay` with email, number, exp, cvc, name; `action=cancel`; or `action=promotion` with promotion_code.
 */
export function renderCheckout(view: CheckoutView): string {
  return renderPage({
    title: `${view.error ? 'Error: ' : ''}Checkout – ${view.merchant} (simulation)`,
    style: STYLE,
    script: SCRIPT,
    body: html`${renderSimulationBanner()}
<div class="columns">
${renderCheckoutSummary(view)}
${renderForm(view)}
</div>`,
  });
}

const CLOSED_STYLE = readAsset('styles/hosted.css');

function renderMessage(view: CheckoutView): SafeHtml {
  if (view.state === 'complete') {
    return html`<h1>You are all done here</h1>
<p>This checkout session is complete. A second payment needs a new session.</p>
${view.successUrl && html`<p><a class="primary" href="${safeHref(view.successUrl)}">Continue to ${view.merchant}</a></p>`}`;
  }
  return html`<h1>This checkout session has expired</h1>
<p>Nothing was charged. Go back to ${view.merchant} and start the checkout again.</p>
${view.cancelUrl && html`<p><a class="primary" href="${safeHref(view.cancelUrl)}">Back to ${view.merchant}</a></p>`}`;
}

/** The page of a session that can no longer be paid: complete, or expired. */
export function renderCheckoutClosed(view: CheckoutView): string {
  const state = view.state === 'complete' ? 'complete' : 'expired';
  return renderPage({
    title: `Checkout ${state} – ${view.merchant} (simulation)`,
    style: CLOSED_STYLE,
    body: html`${renderSimulationBanner()}
<main class="sheet" data-session="${view.sessionId}" data-state="${state}">
${renderMessage(view)}
</main>`,
  });
}
