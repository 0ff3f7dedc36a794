import { formatTime } from '../dates.js';
import { formatMoney } from '../money.js';
import { badge, commandForm, el, hiddenField } from './element.js';

/** @typedef {import('./state.d.ts').Delivery} Delivery */
/** @typedef {import('stripe').default.Event} StripeEvent */

/** @type {Record<Delivery['status'], string>} */
const DELIVERY_TONE = { pending: 'quiet', held: 'warn', delivered: 'good', failed: 'bad', dropped: 'warn' };

/** How far a delivery is: on its way until its first answer, then retried until it is delivered or given up. @param {Delivery} delivery */
function deliveryText(delivery) {
  const answer = delivery.responseStatus === null ? 'no answer' : String(delivery.responseStatus);
  const attempt = delivery.attempt > 1 ? `, attempt ${delivery.attempt}` : '';
  if (delivery.status === 'pending')
    return delivery.at === null ? 'on its way' : `will be retried: ${answer}${attempt}`;
  return delivery.attempt === 0 ? delivery.status : `${delivery.status} ${answer}${attempt}`;
}

/** @param {Delivery} delivery */
function deliveryBadge(delivery) {
  const isRetried = delivery.status === 'pending' && delivery.at !== null;
  return el(
    'li',
    { id: delivery.id, title: delivery.url },
    badge(isRetried ? 'warn' : DELIVERY_TONE[delivery.status], deliveryText(delivery)),
  );
}

/** What an event is about, in words: its amount, its description, its customer's mail. @param {StripeEvent} event */
function subjectOf(event) {
  const object = /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (event.data.object));
  const amount = [object.amount_refunded, object.amount_total, object.amount_due, object.amount].find(
    (one) => typeof one === 'number' && one > 0,
  );
  const money =
    typeof amount === 'number' && typeof object.currency === 'string'
      ? formatMoney(amount, object.currency)
      : '';
  const status = typeof object.status === 'string' ? object.status.replaceAll('_', ' ') : '';
  return [money, status, object.description]
    .filter((one) => typeof one === 'string' && one !== '')
    .join(' · ');
}

/** @param {unknown} value */
function shortText(value) {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}

/** An id says nothing to a reader. @param {unknown} value */
const isId = (value) => typeof value === 'string' && /^[a-z]+_[A-Za-z0-9]{14,}$/.test(value);

/** What an update changed, in words: `status: trialing → active`. @param {StripeEvent} event */
function changes(event) {
  const object = /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (event.data.object));
  return Object.entries(event.data.previous_attributes ?? {})
    .filter(([name, before]) => (typeof before !== 'object' || before === null) && !isId(object[name]))
    .map(([name, before]) => `${name}: ${shortText(before)} → ${shortText(object[name])}`);
}

/** @param {StripeEvent} event @param {Delivery[]} deliveries */
function eventDetails(event, deliveries) {
  const bodies = deliveries.filter((delivery) => delivery.responseBody);
  return el(
    'details',
    {},
    el('summary', {}, 'Details'),
    ...bodies.map((delivery) =>
      el(
        'p',
        { class: 'answer' },
        `${delivery.responseStatus ?? 'No answer'} from ${delivery.url}: ${delivery.responseBody}`,
      ),
    ),
    el('pre', { tabindex: '0', 'aria-label': `${event.type} as JSON` }, JSON.stringify(event, null, 2)),
  );
}

/**
 * One event: what happened, what it changed, and how each of its deliveries ended.
 * @param {StripeEvent} event @param {Delivery[]} deliveries @param {boolean} fresh whether the last change made it
 */
export function eventRow(event, deliveries, fresh) {
  const object = /** @type {{ id?: string }} */ (event.data.object);
  return el(
    'li',
    { class: fresh ? 'event fresh' : 'event', id: event.id },
    el(
      'div',
      { class: 'event-head' },
      el('strong', {}, event.type),
      deliveries.length > 0 && el('ul', { class: 'deliveries' }, ...deliveries.map(deliveryBadge)),
      commandForm(
        '/_sim/resend',
        { 'data-done': `${event.type} is sent again.` },
        hiddenField('event', event.id),
        el('button', { class: 'small', 'aria-label': `Resend ${event.type}` }, 'Resend'),
      ),
    ),
    el(
      'p',
      { class: 'muted' },
      [formatTime(event.created), subjectOf(event)].filter(Boolean).join(' · '),
      ' · ',
      el('code', {}, object.id ?? event.id),
    ),
    ...changes(event).map((change) => el('p', { class: 'change' }, change)),
    deliveries.length === 0 && el('p', { class: 'muted' }, 'No endpoint takes it.'),
    eventDetails(event, deliveries),
  );
}

/** @typedef {import('./state.d.ts').DeliveryMode} DeliveryMode */

let shownMode = '';

/**
 * Puts the mode in force into its form, when it has changed: what a person is setting meanwhile stays.
 * @param {DeliveryMode} mode
 */
export function showDeliveryMode(mode) {
  const text = JSON.stringify(mode);
  if (text === shownMode) return;
  shownMode = text;
  const form = /** @type {HTMLFormElement} */ (document.getElementById('delivery-mode'));
  for (const field of form.elements) {
    if (field instanceof HTMLSelectElement && field.name === 'order') field.value = mode.order;
    if (!(field instanceof HTMLInputElement)) continue;
    if (field.name === 'copies') field.value = String(mode.copies);
    if (field.name === 'hold') field.checked = mode.hold;
    if (field.name === 'drop') field.checked = mode.drop !== false && mode.drop !== 0;
  }
}
