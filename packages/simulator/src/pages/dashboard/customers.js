import { formatDay, formatMoment } from '../dates.js';
import { formatMoney } from '../money.js';
import { chargeRow } from './charges.js';
import { badge, commandForm, el, hiddenField } from './element.js';
import { nameOf, ofCustomer, periodEnd, planName } from './relations.js';

/** @typedef {import('./state.d.ts').Picture} Picture */
/** @typedef {import('./state.d.ts').ServiceRecord} ServiceRecord */
/** @typedef {{ value: string, before: string | null }} Field */
/** @typedef {import('./state.d.ts').State} State */
/** @typedef {import('stripe').default.Subscription} Subscription */
/** @typedef {import('stripe').default.Customer} Customer */
/** @typedef {import('stripe').default.Invoice} Invoice */

/** What each field of a record was before its last change, by customer and field. @type {Map<string, Map<string, Field>>} */
const seen = new Map();

/** A field in words: moments as dates, lists and maps without brackets. @param {unknown} value @returns {string} */
function fieldText(value) {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  // The record counts in milliseconds; only moments are that large.
  if (typeof value === 'number' && value > 1e12 && value < 1e13) return formatMoment(value / 1000);
  if (typeof value !== 'object') return String(value);
  const parts = Array.isArray(value)
    ? value.map((inner) => fieldText(inner))
    : Object.entries(value).map(([name, inner]) => `${name} ${fieldText(inner)}`);
  return parts.length === 0 ? '–' : parts.join(', ');
}

/** @param {string} customer @param {ServiceRecord} record */
function compare(customer, record) {
  const before = seen.get(customer);
  const texts = Object.entries(record).map(
    ([name, value]) => /** @type {const} */ ([name, fieldText(value)]),
  );
  const changed = before !== undefined && texts.some(([name, value]) => before.get(name)?.value !== value);
  if (before !== undefined && !changed) return before;
  const fields = new Map(
    texts.map(([name, value]) => {
      const old = before?.get(name)?.value ?? null;
      return [name, { value, before: before !== undefined && old !== value ? (old ?? '–') : null }];
    }),
  );
  seen.set(customer, fields);
  return fields;
}

/**
 * The service's record of the customer; fields that changed last are marked, with what they were.
 * @param {string} customer @param {ServiceRecord | undefined} record
 */
function recordPanel(customer, record) {
  const fields = record === undefined ? [] : [...compare(customer, record)];
  return el(
    'div',
    { class: 'record' },
    el('h4', {}, 'Record at the service'),
    record === undefined
      ? el('p', { class: 'muted' }, 'The service has no record of this customer yet.')
      : el(
          'dl',
          {},
          ...fields.map(([name, field]) =>
            el(
              'div',
              { class: field.before === null ? null : 'changed' },
              el('dt', {}, name),
              el(
                'dd',
                {},
                field.value,
                field.before !== null && el('span', { class: 'was' }, ` was ${field.before}`),
              ),
            ),
          ),
        ),
  );
}

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
function subscriptionRow(state, subscription) {
  const name = planName(state, subscription);
  const ended = subscription.status === 'canceled' || subscription.status === 'incomplete_expired';
  const scheduled = subscription.cancel_at !== null || subscription.cancel_at_period_end;
  const path = `/_sim/subscriptions/${encodeURIComponent(subscription.id)}/cancel`;
  return el(
    'li',
    { class: 'row', id: subscription.id, 'data-status': subscription.status },
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

const NEXT_CARDS = [
  ['4242424242424242', 'succeed'],
  ['4000000000000341', 'be declined'],
];

/** @param {Customer} customer */
function nextChargeForm(customer) {
  return commandForm(
    `/_sim/customers/${encodeURIComponent(customer.id)}/card`,
    { 'data-done': 'The card was replaced.', class: 'command next-charge' },
    el('span', { class: 'muted' }, 'Let the next charge'),
    ...NEXT_CARDS.map(([card, outcome]) =>
      el('button', { class: 'small', name: 'card', value: card }, String(outcome)),
    ),
  );
}

/** @param {Invoice} invoice */
function invoiceRow(invoice) {
  const tone = invoice.status === 'paid' ? 'good' : invoice.status === 'open' ? 'warn' : 'quiet';
  return el(
    'li',
    { class: 'row', id: invoice.id },
    el(
      'p',
      { class: 'row-text' },
      el('strong', { class: 'figures' }, formatMoney(invoice.amount_due, invoice.currency)),
      ' ',
      badge(tone, invoice.status ?? 'draft'),
      el(
        'span',
        { class: 'muted' },
        ` ${formatDay(invoice.created)} · ${(invoice.billing_reason ?? 'manual').replaceAll('_', ' ')}`,
      ),
    ),
    invoice.hosted_invoice_url &&
      el(
        'a',
        { href: invoice.hosted_invoice_url, target: '_blank', rel: 'noopener' },
        invoice.number ?? 'Open invoice',
      ),
  );
}

/** @param {string} title @param {HTMLElement[]} rows @param {string} none */
function group(title, rows, none) {
  return el(
    'section',
    { class: 'group' },
    el('h4', {}, title),
    rows.length === 0 ? el('p', { class: 'muted' }, none) : el('ul', {}, ...rows),
  );
}

/** @param {HTMLElement[]} rows */
function invoices(rows) {
  const count = rows.length === 1 ? '1 invoice' : `${rows.length} invoices`;
  return (
    rows.length > 0 && el('details', { class: 'group' }, el('summary', {}, count), el('ul', {}, ...rows))
  );
}

/** A customer with everything that belongs to them, and the service's record beside it. @param {Picture} picture @param {Customer} customer */
export function customerCard(picture, customer) {
  const { state, records } = picture;
  const subscriptions = ofCustomer(state.subscriptions, customer.id);
  const charges = ofCustomer(state.charges, customer.id);
  const title = nameOf(customer);
  return el(
    'article',
    { class: 'customer', id: customer.id, 'aria-label': `Customer ${title}` },
    el(
      'header',
      {},
      el('h3', {}, el('button', { type: 'button', class: 'find-customer', 'data-find': customer.id }, title)),
      title !== customer.id && el('code', { class: 'muted' }, customer.id),
      customer.test_clock !== null && customer.test_clock !== undefined && badge('quiet', 'on a test clock'),
    ),
    el(
      'div',
      { class: records === null ? 'customer-body' : 'customer-body with-record' },
      el(
        'div',
        { class: 'objects' },
        group(
          'Subscriptions',
          subscriptions.map((subscription) => subscriptionRow(state, subscription)),
          'None.',
        ),
        group(
          'Payments',
          charges.map((charge) => chargeRow(state, charge)),
          'None.',
        ),
        invoices(ofCustomer(state.invoices, customer.id).map(invoiceRow)),
        nextChargeForm(customer),
      ),
      records !== null && recordPanel(customer.id, records.get(customer.id)),
    ),
  );
}
