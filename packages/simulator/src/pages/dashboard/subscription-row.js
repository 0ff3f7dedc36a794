import { formatDay } from '../dates.js';
import { formatMoney } from '../money.js';
import { badge, commandForm, el, hiddenField } from './element.js';
import { periodEnd, planName } from './relations.js';

/** @typedef {import('./state.d.ts').State} State */
/** @typedef {import('stripe').default.Subscription} Subscription */

/** @type {Record<string, string>} */
const SUBSCRIPTION_TONE = {
  active: 'good',
  trialing: 'good',
  past_due: 'warn',
  unpaid: 'bad',
  incomplete: 'warn',
};

/** @param {Subscription} subscription */
function priceOf(subscription) {
  const price = subscription.items.data[0]?.price;
  if (!price || price.unit_amount === null) return '';
  const money = formatMoney(price.unit_amount, price.currency);
  return price.recurring ? `${money} per ${price.recurring.interval}` : money;
}

/** @param {Subscription} subscription */
function nextStep(subscription) {
  if (subscription.ended_at) return `Ended on ${formatDay(subscription.ended_at)}`;
  if (subscription.cancel_at) return `Ends on ${formatDay(subscription.cancel_at)}`;
  const end = periodEnd(subscription);
  if (subscription.cancel_at_period_end && end) return `Ends on ${formatDay(end)}`;
  if (subscription.status === 'trialing' && subscription.trial_end) {
    return `Trial ends on ${formatDay(subscription.trial_end)}`;
  }
  return end ? `Renews on ${formatDay(end)}` : '';
}

/** One subscription with its state, what comes next, and the two ways to end it. @param {State} state @param {Subscription} subscription */
export function subscriptionRow(state, subscription) {
  const name = planName(state, subscription);
  const ended = subscription.status === 'canceled' || subscription.status === 'incomplete_expired';
  const scheduled = subscription.cancel_at !== null || subscription.cancel_at_period_end;
  const path = `/_sim/subscriptions/${encodeURIComponent(subscription.id)}/cancel`;
  return el(
    'li',
    { class: 'row', 'data-key': subscription.id, 'data-status': subscription.status },
    el(
      'div',
      { class: 'row-text' },
      el(
        'p',
        {},
        el('strong', {}, name),
        ' ',
        badge(SUBSCRIPTION_TONE[subscription.status] ?? 'quiet', subscription.status),
      ),
      el(
        'p',
        { class: 'muted' },
        [priceOf(subscription), nextStep(subscription)].filter(Boolean).join(' · '),
      ),
    ),
    !ended &&
      el(
        'div',
        { class: 'row-actions' },
        !scheduled &&
          commandForm(
            path,
            { 'data-done': `${name} will end with its period.` },
            hiddenField('at_period_end', 'true', 'boolean'),
            el('button', { class: 'small' }, 'End with period'),
          ),
        commandForm(
          path,
          { 'data-done': `${name} was canceled.` },
          hiddenField('at_period_end', 'false', 'boolean'),
          el('button', { class: 'small' }, 'Cancel now'),
        ),
      ),
  );
}
