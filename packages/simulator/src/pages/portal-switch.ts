import { html, type SafeHtml } from './html.ts';
import { priceText } from './price-text.ts';
import type { PortalSubscription } from './views.ts';

/** The plans that a subscription can be switched to, one of which is chosen and confirmed. */
export function renderSwitch(subscription: PortalSubscription): SafeHtml | undefined {
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
