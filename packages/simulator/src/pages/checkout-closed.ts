import { html, type SafeHtml } from './html.ts';
import { safeHref } from './links.ts';
import { readAsset, renderPage } from './page.ts';
import { renderSimulationBanner } from './simulation-banner.ts';
import type { CheckoutView } from './views.ts';

const STYLE = readAsset('styles/hosted.css');

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
    style: STYLE,
    body: html`${renderSimulationBanner()}
<main class="sheet" data-session="${view.sessionId}" data-state="${state}">
${renderMessage(view)}
</main>`,
  });
}
