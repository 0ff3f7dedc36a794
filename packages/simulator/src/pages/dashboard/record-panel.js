import { formatMoment } from '../dates.js';
import { el } from './element.js';

/** @typedef {import('./state.d.ts').ServiceRecord} ServiceRecord */
/** @typedef {{ value: string, before: string | null }} Field */

/** What each field of a record was before its last change, by customer and field. @type {Map<string, Map<string, Field>>} */
const seen = new Map();

/** @param {string} name @param {unknown} value */
function fieldText(name, value) {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  // The record counts in milliseconds; only moments are that large.
  if (typeof value === 'number' && value > 1e12 && /At$|End$/.test(name)) return formatMoment(value / 1000);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** @param {string} customer @param {ServiceRecord} record */
function compare(customer, record) {
  const before = seen.get(customer);
  const texts = Object.entries(record).map(
    ([name, value]) => /** @type {const} */ ([name, fieldText(name, value)]),
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
export function recordPanel(customer, record) {
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
              { 'data-key': name, class: field.before === null ? null : 'changed' },
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
