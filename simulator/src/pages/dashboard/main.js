import { formatMoment } from '../dates.js';
import { catalog } from './catalog.js';
import { serveCommands } from './commands.js';
import { customerCard } from './customer-card.js';
import { showDeliveryMode } from './delivery-mode.js';
import { el } from './element.js';
import { eventRow } from './event-row.js';
import { morphChildren } from './morph.js';
import { customerOfEvent, newestFirst } from './relations.js';
import { getPicture } from './server.js';
import { sessionList } from './sessions.js';

/** @typedef {import('./state.d.ts').Picture} Picture */

const REFRESH_MILLISECONDS = 1000;
const EVENTS_SHOWN = 100;
const CUSTOMERS_SHOWN = 20;
const SAID_MILLISECONDS = 6000;

/** @param {string} id */
function part(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no #${id}.`);
  return element;
}

/** @param {string} id @param {...(Node | string)} children */
function show(id, ...children) {
  morphChildren(part(id), el('div', {}, ...children));
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let silence;

/** Says what a command did; a refusal stays until the next command. @param {string} text @param {boolean} failed */
function say(text, failed) {
  // Emptied first, so that the same words are announced again.
  part('said').textContent = '';
  part('failed').textContent = '';
  part(failed ? 'failed' : 'said').textContent = text;
  clearTimeout(silence);
  if (!failed) {
    silence = setTimeout(() => {
      part('said').textContent = '';
    }, SAID_MILLISECONDS);
  }
}

/** The customer that the page is narrowed to, or '' for all. */
function chosenCustomer() {
  return /** @type {HTMLSelectElement} */ (part('chosen-customer')).value;
}

/** @param {Picture} picture */
function showCustomers(picture) {
  const customers = newestFirst(picture.state.customers.filter((customer) => !customer.deleted));
  show(
    'chosen-customer',
    el('option', { value: '' }, 'all customers'),
    ...customers.map((customer) =>
      el(
        'option',
        { value: customer.id, 'data-key': customer.id },
        customer.email ?? customer.name ?? customer.id,
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

/** @param {Picture} picture */
function showPicture(picture) {
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

let lastText = '';

async function refresh() {
  try {
    const picture = await getPicture();
    const text = JSON.stringify([
      picture.state,
      picture.deliveries,
      picture.mode,
      picture.records && [...picture.records],
    ]);
    part('unreachable').textContent = '';
    if (text === lastText && document.body.dataset.state === 'ready') {
      show('now', formatMoment(picture.now));
      return;
    }
    lastText = text;
    showPicture(picture);
  } catch (error) {
    document.body.dataset.state = 'error';
    const reason = error instanceof Error ? error.message : String(error);
    const text = `The simulator does not answer (${reason}). Start it again; this page goes on by itself.`;
    if (part('unreachable').textContent !== text) part('unreachable').textContent = text;
  }
}

/** Refreshes while the page can be seen; a large account, slow to read, is read less often. */
async function watch() {
  const start = performance.now();
  if (document.visibilityState === 'visible') await refresh();
  setTimeout(watch, Math.max(REFRESH_MILLISECONDS, 4 * (performance.now() - start)));
}

document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') refresh();
});
part('chosen-customer').addEventListener('change', () => {
  if (shown !== null) showPicture(shown);
});
serveCommands(say, refresh);
watch();
