import { formatMoney } from '../money.js';
import { badge, el } from './element.js';
import { idOf } from './relations.js';

/** @typedef {import('./state.d.ts').State} State */

/** Prices by lookup key, and the endpoints that are told of events. @param {State} state */
export function catalog(state) {
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
              { class: 'row', 'data-key': price.id },
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
              { class: 'row', 'data-key': endpoint.id },
              el('code', { class: 'row-text' }, endpoint.url),
              badge(endpoint.status === 'enabled' ? 'good' : 'quiet', endpoint.status),
            ),
          ),
        ),
  );
}
