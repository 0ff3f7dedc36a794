import { renderErrorSummary } from '../pages/card-form.ts';
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
import type { FlowPlan, FlowView } from '../pages/views.ts';

const STYLE =
  readAsset('styles/hosted.css') + readAsset('styles/checkout.css') + readAsset('styles/portal.css');

type Change = NonNullable<FlowView['change']>;

function renderPlan(term: string, { name, amount, interval }: FlowPlan, currency: string): SafeHtml {
  return html`<li class="line">
  <div><p class="line-note">${term}</p><p class="line-name">${name}</p></div>
  <p class="line-amount">${priceText(amount, currency, interval)}</p>
</li>`;
}

/** A credit has its sign before the money, as on the invoice. */
function renderTotal(term: string, text: string, className = ''): SafeHtml {
  return html`<div class="total ${className}"><dt>${term}</dt><dd>${text}</dd></div>`;
}

function renderCost({ to, currency }: Change, cost: NonNullable<FlowView['cost']>): SafeHtml {
  const price = priceText(to.amount, currency, to.interval);
  switch (cost.kind) {
    case 'later':
      return html`<dl class="totals">${renderTotal('Due today', formatMoney(0, currency), 'total-due')}</dl>
<p data-effect="later">Your plan changes on ${formatDay(cost.at)}. Until then nothing changes. Then ${price}.</p>`;
    case 'trial':
      return html`<dl class="totals">${renderTotal('Due today', formatMoney(0, currency), 'total-due')}</dl>
<p data-effect="trial">Your trial goes on until ${formatDay(cost.until)}. Then ${price}.</p>`;
    case 'now':
      return html`<dl class="totals">
${cost.lines.map(({ description, amount }) => renderTotal(description, formatMoney(amount, currency)))}
${cost.due !== null && renderTotal('Due today', formatMoney(cost.due, currency), 'total-due')}
</dl>
<p data-effect="now">Your plan changes today. ${cost.due === null ? 'The difference is on your next invoice. ' : ''}It renews at ${price}.</p>`;
    default:
      return cost satisfies never;
  }
}

function renderConfirm(view: FlowView, change: Change): SafeHtml {
  return html`<h1>Confirm your new plan</h1>
${renderErrorSummary(view.error)}
<ul class="lines">
${renderPlan('Now', change.from, change.currency)}
${renderPlan('New', change.to, change.currency)}
</ul>
${view.cost !== null && renderCost(change, view.cost)}
${change.last4 !== null && html`<p class="muted">Paid with the card ending in ${change.last4}.</p>`}
<form method="post" class="choices" data-session="${view.sessionId}">
  <button class="primary" name="action" value="confirm">Confirm</button>
</form>
<p><a class="secondary" href="${safeHref(view.returnUrl)}">Go back</a></p>`;
}

function renderOver(view: FlowView): SafeHtml {
  return html`<h1>${view.state === 'done' ? 'Your plan was updated' : 'This change cannot be made any more'}</h1>
${view.message !== null && html`<p>${view.message}</p>`}
<p><a class="primary" href="${safeHref(view.returnUrl)}">Return to ${view.merchant}</a></p>`;
}

/** What a change of plan costs, and the button that makes it: `action=confirm`, posted to the page's own address. */
export function renderFlow(view: FlowView): string {
  return renderPage({
    title: `${view.error ? 'Error: ' : ''}Confirm your plan – ${view.merchant} (simulation)`,
    style: STYLE,
    body: html`${renderSimulationBanner()}
<main class="sheet" data-flow="${view.state}">
${view.change === null ? renderOver(view) : renderConfirm(view, view.change)}
</main>`,
  });
}
