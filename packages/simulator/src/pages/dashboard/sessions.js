import { formatMoment } from '../dates.js';
import { formatMoney } from '../money.js';
import { badge, el } from './element.js';
import { newestFirst } from './relations.js';

/** @typedef {import('./state.d.ts').State} State */
/** @typedef {import('stripe').default.Checkout.Session} Session */

/** @param {Session} session */
function sessionRow(session) {
  const amount =
    session.amount_total === null ? '' : formatMoney(session.amount_total, session.currency ?? 'usd');
  return el(
    'li',
    { class: 'row', 'data-key': session.id },
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
export function sessionList(state) {
  const sessions = newestFirst(state.checkout_sessions).slice(0, 8);
  if (sessions.length === 0)
    return el('p', { class: 'muted' }, 'No session yet. Buy something in the extension.');
  return el('ul', { class: 'boxed' }, ...sessions.map(sessionRow));
}
