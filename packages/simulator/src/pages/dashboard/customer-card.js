import { formatDay } from '../dates.js';
import { formatMoney } from '../money.js';
import { chargeRow } from './charge-row.js';
import { badge, commandForm, el } from './element.js';
import { recordPanel } from './record-panel.js';
import { nameOf, ofCustomer } from './relations.js';
import { subscriptionRow } from './subscription-row.js';

/** @typedef {import('./state.d.ts').Picture} Picture */
/** @typedef {import('stripe').default.Customer} Customer */
/** @typedef {import('stripe').default.Invoice} Invoice */

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
    { class: 'row', 'data-key': invoice.id },
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
    { class: 'customer', 'data-key': customer.id, 'aria-label': `Customer ${title}` },
    el(
      'header',
      {},
      el('h3', {}, title),
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
