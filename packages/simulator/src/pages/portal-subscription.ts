import { formatDay } from './dates.js';
import { html, type SafeHtml } from './html.ts';
import { renderSwitch } from './portal-switch.ts';
import { priceText } from './price-text.ts';
import type { PortalSubscription, PortalView } from './views.ts';

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
  const { status, cancelAt, trialEnd, currentPeriodEnd } = subscription;
  const price = priceText(subscription.amount, subscription.currency, subscription.interval);
  if (hasEnded(status)) return 'This plan has ended.';
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

function renderActions(subscription: PortalSubscription, cancellation: Cancellation): SafeHtml | undefined {
  if (hasEnded(subscription.status)) return undefined;
  if (subscription.cancelAt !== null) return renderUndo(subscription);
  return html`${renderSwitch(subscription)}${cancellation !== 'off' && renderCancel(subscription, cancellation)}`;
}

function tone(subscription: PortalSubscription): string {
  if (['past_due', 'unpaid', 'incomplete'].includes(subscription.status)) return 'warn';
  return hasEnded(subscription.status) || subscription.cancelAt !== null ? 'quiet' : 'good';
}

/** One plan with its price, its state in words, and the one thing that can be done about it. */
export function renderSubscription(
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
