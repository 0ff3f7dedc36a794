import { formatMoment } from '../dates.js';
import { catalog } from './catalog.js';
import { customerCard } from './customer-card.js';
import { showDeliveryMode } from './delivery-mode.js';
import { el } from './element.js';
import { eventRow } from './event-row.js';
import { part, show } from './part.js';
import { customerOfEvent, nameOf, newestFirst } from './relations.js';
import { sessionList } from './sessions.js';

/** @typedef {import('./state.d.ts').Picture} Picture */

const EVENTS_SHOWN = 100;
const CUSTOMERS_SHOWN = 20;

/** The customer that the page is narrowed to, or '' for all. */
function chosenCustomer() {
  return /** @type {HTMLSelectElement} */ (part('chosen-customer')).value;
}

/** @param {Picture} picture */
function showCustomers(picture) {
  const customers = newestFirst(picture.state.customers.filter((customer) => !customer.deleted));
  const names = customers.map(nameOf);
  /** @param {string} name */
  const count = (name) => names.filter((other) => other === name).length;
  show(
    'chosen-customer',
    el('option', { value: '' }, 'all customers'),
    ...customers.map((customer) =>
      el(
        'option',
        { value: customer.id, 'data-key': customer.id },
        count(nameOf(customer)) > 1 ? `${nameOf(customer)} (${customer.id})` : nameOf(customer),
      ),
    ),
  );
  const chosen = chosenCustomer();
  const cards = customers
    .filter((customer) => chosen === '' || customer.id === chosen)
    .slice(0, CUSTOMERS_SHOWN)
    .map((customer) => customerCard(picture, customer));
  const hidden = chosen === '' ? customers.length - cards.length : 0;
  show(
    'customers',
    ...(cards.length === 0
      ? [el('p', { class: 'empty' }, 'No customer yet. One appears with the first checkout.')]
      : cards),
    hidden > 0
      ? el('p', { class: 'muted' }, `${hidden} older customers are not shown: choose one above.`)
      : '',
  );
}

/** The events that came with the last change. @type {Set<string>} */
let freshEvents = new Set();

/** @param {Picture} picture @param {Picture | null} before */
function noteFreshEvents(picture, before) {
  if (before === null) return;
  const known = new Set(before.state.events.map((event) => event.id));
  const came = picture.state.events.map((event) => event.id).filter((id) => !known.has(id));
  if (came.length > 0) freshEvents = new Set(came);
}

/** @param {Picture} picture */
function showEvents(picture) {
  const byEvent = Map.groupBy(picture.deliveries, (delivery) => delivery.event);
  const chosen = chosenCustomer();
  const events = newestFirst(picture.state.events).filter(
    (event) => chosen === '' || customerOfEvent(event) === chosen,
  );
  const rows = events
    .slice(0, EVENTS_SHOWN)
    .map((event) => eventRow(event, byEvent.get(event.id) ?? [], freshEvents.has(event.id)));
  const hidden = events.length - rows.length;
  show(
    'events',
    events.length === 0
      ? el('p', { class: 'empty' }, 'No event yet.')
      : el('ul', { class: 'boxed' }, ...rows),
    hidden > 0 ? el('p', { class: 'muted' }, `${hidden} older events are not shown.`) : '',
  );
  const waiting = picture.deliveries.filter((delivery) => delivery.status === 'held').length;
  show(
    'waiting',
    waiting === 0 ? '' : waiting === 1 ? '1 delivery is held.' : `${waiting} deliveries are held.`,
  );
}

/** @type {Picture | null} */
let shown = null;

/** Shows everything in the picture. @param {Picture} picture */
export function showPicture(picture) {
  show('now', formatMoment(picture.now));
  noteFreshEvents(picture, shown);
  showCustomers(picture);
  showEvents(picture);
  showDeliveryMode(picture.mode);
  show('sessions', sessionList(picture.state));
  show('catalog', catalog(picture.state));
  document.body.dataset.state = 'ready';
  shown = picture;
}

/** Shows the last picture again, for a customer chosen since. */
export function showAgain() {
  if (shown !== null) showPicture(shown);
}
