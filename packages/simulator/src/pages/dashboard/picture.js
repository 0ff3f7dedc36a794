import { formatMoment } from '../dates.js';
import { formatMoney } from '../money.js';
import { customerCard } from './customers.js';
import { badge, el, part, show } from './element.js';
import { eventRow, showDeliveryMode } from './events.js';
import { customerOfEvent, idOf, nameOf, newestFirst } from './relations.js';

/** @typedef {import('./state.d.ts').State} State */

/** Prices by lookup key, and the endpoints that events are sent to. @param {State} state */
function catalog(state) {
  const prices = state.prices.filter((price) => price.active);
  return el(
    'div',
    { class: 'catalog' },
    prices.length === 0
      ? el('p', { class: 'muted' }, 'No prices yet. Seed the catalog.')
      : el(
          'ul',
          { class: 'boxed' },
          ...prices.map((price) =>
            el(
              'li',
              { class: 'row', id: price.id },
              el(
                'p',
                { class: 'row-text' },
                el(
                  'strong',
                  {},
                  state.products.find((product) => product.id === idOf(price.product))?.name ?? price.id,
                ),
                el('code', { class: 'muted' }, ` ${price.lookup_key ?? price.id}`),
              ),
              el(
                'span',
                { class: 'figures' },
                formatMoney(price.unit_amount ?? 0, price.currency),
                price.recurring && ` per ${price.recurring.interval}`,
              ),
            ),
          ),
        ),
    state.webhook_endpoints.length === 0
      ? el('p', { class: 'muted' }, 'No webhook endpoint yet, so no event is sent.')
      : el(
          'ul',
          { class: 'boxed' },
          ...state.webhook_endpoints.map((endpoint) =>
            el(
              'li',
              { class: 'row', id: endpoint.id },
              el('code', { class: 'row-text' }, endpoint.url),
              badge(endpoint.status === 'enabled' ? 'good' : 'quiet', endpoint.status),
            ),
          ),
        ),
  );
}

/** @typedef {import('stripe').default.Checkout.Session} Session */

/** @param {Session} session */
function sessionRow(session) {
  const amount =
    session.amount_total === null ? '' : formatMoney(session.amount_total, session.currency ?? 'usd');
  return el(
    'li',
    { class: 'row', id: session.id },
    el(
      'div',
      { class: 'row-text' },
      el(
        'p',
        {},
        el('strong', {}, `${session.mode === 'payment' ? 'Payment' : 'Subscription'} ${amount}`),
        ' ',
        badge(session.status === 'complete' ? 'good' : 'quiet', session.status ?? 'open'),
      ),
      el('p', { class: 'muted' }, formatMoment(session.created)),
    ),
    session.status === 'open' &&
      session.url !== null &&
      el('a', { class: 'small', href: session.url, target: '_blank', rel: 'noopener' }, 'Open checkout'),
  );
}

/** The latest checkout sessions, the open ones with the way to their page. @param {State} state */
function sessionList(state) {
  const sessions = newestFirst(state.checkout_sessions).slice(0, 8);
  if (sessions.length === 0)
    return el('p', { class: 'muted' }, 'No session yet. Buy something in the extension.');
  return el('ul', { class: 'boxed' }, ...sessions.map(sessionRow));
}

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
        { value: customer.id, id: `option-${customer.id}` },
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
