import { formatMoney } from '../pages/money.js';
import { type HostedAnswer, html, readAsset, renderPage, renderSimulationBanner } from '../pages/page.ts';
import type { CheckoutView } from '../pages/views.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { answerBank } from './intents.ts';

const STYLE = readAsset('styles/hosted.css');

/**
 * The bank's question that a 3-D Secure card asks before it pays. Posts `action=authenticate` with `result=ok`
 * or `result=fail` to the page's own address. Throws where the view has no challenge.
 */
export function renderThreeDSecure(
  view: Pick<CheckoutView, 'sessionId' | 'merchant' | 'threeDSecure'>,
): string {
  const challenge = view.threeDSecure;
  if (challenge === undefined) throw new Error(`Session ${view.sessionId} has no 3-D Secure challenge.`);
  const occasion =
    challenge.amount === 0
      ? 'Set up the card for later payments to'
      : `Pay ${formatMoney(challenge.amount, challenge.currency)} to`;
  return renderPage({
    title: `3-D Secure – ${view.merchant} (simulation)`,
    style: STYLE,
    body: html`${renderSimulationBanner()}
<main class="sheet" data-intent="${challenge.intentId}">
<h1>Your bank asks you to confirm</h1>
<p>${occasion} <strong>${view.merchant}</strong> with the card ending in ${challenge.last4}.</p>
<p class="muted">A real bank would ask for a code or its app here (<span class="nowrap">3-D Secure</span>). Choose how it ends.</p>
<form method="post" class="choices">
  <input type="hidden" name="action" value="authenticate">
  <button class="primary" name="result" value="ok">Complete authentication</button>
  <button class="secondary" name="result" value="fail">Fail authentication</button>
</form>
</main>`,
  });
}

/** What stays on the screen once the bank has its answer and the payment named no address to go to. */
function renderThreeDSecureOver(merchant: string, passed: boolean): string {
  const said = passed ? 'The payment was confirmed' : 'The payment was not confirmed';
  return renderPage({
    title: `3-D Secure – ${merchant} (simulation)`,
    style: STYLE,
    body: html`${renderSimulationBanner()}
<main class="sheet">
<h1>${said}</h1>
<p>You can close this page.</p>
</main>`,
  });
}

/** The bank's page of an intent that `requires_action`: shows it (`form` null), or takes the customer's answer. */
export function answerThreeDSecure(world: World, id: string, form: URLSearchParams | null): HostedAnswer {
  const intent = world.tables.payment_intents.inPath(id, 'intent');
  if (intent.status !== 'requires_action')
    return {
      status: 200,
      html: renderThreeDSecureOver(world.options.merchant, intent.status === 'succeeded'),
    };
  if (form !== null) {
    const passed = form.get('result') === 'ok';
    const location = answerBank(world, intent, passed);
    return location === null
      ? { status: 200, html: renderThreeDSecureOver(world.options.merchant, passed) }
      : { location };
  }
  const number = world.facts.cardNumbers.get(idOf(intent.payment_method) ?? '') ?? '';
  const { amount, currency } = intent;
  const threeDSecure = { intentId: intent.id, amount, currency, last4: number.slice(-4) };
  return {
    status: 200,
    html: renderThreeDSecure({ sessionId: intent.id, merchant: world.options.merchant, threeDSecure }),
  };
}
