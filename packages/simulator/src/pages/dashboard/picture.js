import { formatDay, formatMoment } from '../dates.js';
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

/** Whose session it is: the customer, else the address that was typed. @param {State} state @param {Session} session */
function buyerOf(state, session) {
  const customer = state.customers.find(({ id }) => id === idOf(session.customer));
  return customer === undefined ? (session.customer_details?.email ?? '') : nameOf(customer);
}

/** @param {State} state @param {Session} session */
function sessionRow(state, session) {
  const sold = (session.line_items?.data ?? []).map((line) => line.description ?? '').join(', ');
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
        el('strong', {}, sold || (session.mode === 'payment' ? 'Payment' : 'Subscription')),
        ' ',
        el('span', { class: 'figures' }, amount),
        ' ',
        badge(session.status === 'complete' ? 'good' : 'quiet', session.status ?? 'open'),
      ),
      el(
        'p',
        { class: 'muted' },
        [buyerOf(state, session), formatMoment(session.created)].filter(Boolean).join(' · '),
      ),
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
  return el('ul', { class: 'boxed' }, ...sessions.map((session) => sessionRow(state, session)));
}

/** @typedef {import('./state.d.ts').Picture} Picture */

const EVENTS_SHOWN = 100;
const CUSTOMERS_SHOWN = 20;

/** What the page is narrowed to, in small letters; '' for everything. */
function wanted() {
  return /** @type {HTMLInputElement} */ (part('find')).value.trim().toLowerCase();
}

/** Whether a customer's mail, name or id holds what is looked for. @param {import('stripe').default.Customer} customer */
function isWanted({ email, name, id }) {
  return [email, name, id].some((text) => text?.toLowerCase().includes(wanted()));
}

/** @param {Picture} picture */
function showCustomers(picture) {
  const customers = newestFirst(picture.state.customers.filter((customer) => !customer.deleted));
  const found = customers.filter(isWanted);
  const cards = found.slice(0, CUSTOMERS_SHOWN).map((customer) => customerCard(picture, customer));
  const hidden = found.length - cards.length;
  part('found').textContent = wanted() === '' ? '' : `${found.length} of ${customers.length}`;
  show(
    'customers',
    ...(cards.length === 0
      ? [
          el(
            'p',
            { class: 'empty' },
            customers.length === 0
              ? 'No customer yet. One appears with the first checkout.'
              : 'No customer has that in mail, name or id.',
          ),
        ]
      : cards),
    hidden > 0 ? el('p', { class: 'muted' }, `${hidden} older customers are not shown: find one above.`) : '',
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
  const found = new Set(picture.state.customers.filter(isWanted).map(({ id }) => id));
  const all = newestFirst(picture.state.events).filter(
    (event) => wanted() === '' || found.has(customerOfEvent(event) ?? ''),
  );
  const showsAll = /** @type {HTMLInputElement} */ (part('all-events')).checked;
  const events = all.filter((event) => showsAll || byEvent.has(event.id));
  const unsent = all.filter((event) => !byEvent.has(event.id)).length;
  part('unsent').textContent = `${unsent} that no endpoint takes`;
  const shownEvents = events.slice(0, EVENTS_SHOWN);
  const byDay = Map.groupBy(shownEvents, (event) => formatDay(event.created));
  const rows = [...byDay].flatMap(([day, ofDay]) => [
    el('li', { class: 'day', id: `day-${day.replaceAll(/\W+/g, '-')}` }, el('h3', {}, day)),
    ...ofDay.map((event) => eventRow(event, byEvent.get(event.id) ?? [], freshEvents.has(event.id))),
  ]);
  const hidden = events.length - shownEvents.length;
  show(
    'events',
    events.length === 0
      ? el('p', { class: 'empty' }, unsent === 0 ? 'No event yet.' : 'No event yet that an endpoint takes.')
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
