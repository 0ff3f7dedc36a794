import { renderCardFields, renderErrorSummary, renderField, renderTestCards } from './card-fields.ts';
import { renderCheckoutSummary } from './checkout-summary.ts';
import { formatDay } from './dates.js';
import { html, type SafeHtml } from './html.ts';
import { formatMoney } from './money.js';
import { readAsset, renderPage } from './page.ts';
import { priceText } from './price-text.ts';
import { renderSimulationBanner } from './simulation-banner.ts';
import type { CheckoutView } from './views.ts';

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
  ${renderTestCards()}
  ${renderCardFields(formError)}
  ${renderField({ name: 'name', label: 'Cardholder name', autocomplete: 'cc-name', placeholder: 'Full name on card', value: view.typed?.name }, formError)}`
  }
  <button class="primary" name="action" value="pay">${submitLabel(view)}</button>
  ${renderTerms(view)}
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
