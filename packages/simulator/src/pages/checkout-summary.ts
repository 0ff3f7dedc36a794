import { formatDay } from './dates.js';
import { html, type SafeHtml } from './html.ts';
import { formatMoney } from './money.js';
import { daysText, priceText } from './price-text.ts';
import type { CheckoutLine, CheckoutView } from './views.ts';

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
      <input id="promotion_code" name="promotion_code" autocomplete="off" required${error && html` aria-invalid="true" aria-describedby="promotion_code-error"`}>
      <button class="secondary" name="action" value="promotion">Apply</button>
    </div>
    ${error && html`<p class="field-error" id="promotion_code-error">${error.message}</p>`}
  </form>
</details>`;
}

/** The left column: the way back, what is bought, and what it costs today and later. */
export function renderCheckoutSummary(view: CheckoutView): SafeHtml {
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
