import { formatMoment } from '../dates.js';
import { formatMoney, minorUnitDigits } from '../money.js';
import { badge, commandForm, el, hiddenField } from './element.js';
import { idOf } from './relations.js';

/** @typedef {import('./state.d.ts').State} State */
/** @typedef {import('stripe').default.Charge} Charge */
/** @typedef {import('stripe').default.Dispute} Dispute */

/** @param {Charge} charge @param {Dispute | undefined} dispute */
function chargeBadge(charge, dispute) {
  if (dispute) return badge(dispute.status === 'won' ? 'good' : 'bad', `disputed: ${dispute.status}`);
  if (charge.status === 'failed') return badge('bad', charge.failure_code ?? 'failed');
  if (charge.refunded) return badge('quiet', 'refunded');
  if (charge.amount_refunded > 0) {
    return badge('warn', `${formatMoney(charge.amount_refunded, charge.currency)} refunded`);
  }
  return badge(charge.status === 'succeeded' ? 'good' : 'warn', charge.status);
}

/** @param {Charge} charge */
function refundForm(charge) {
  const left = charge.amount - charge.amount_refunded;
  const digits = minorUnitDigits(charge.currency);
  const label = `Amount to refund, at most ${formatMoney(left, charge.currency)}`;
  return commandForm(
    '/_sim/refund',
    { 'data-done': 'Refunded.', class: 'command refund' },
    hiddenField('charge', charge.id),
    el('input', {
      class: 'amount',
      name: 'amount',
      inputmode: 'decimal',
      placeholder: (left / 10 ** digits).toFixed(digits),
      'aria-label': label,
      title: label,
      'data-kind': 'minor',
      'data-digits': digits,
      autocomplete: 'off',
    }),
    el('button', { class: 'small' }, 'Refund'),
  );
}

/** @param {Charge} charge @param {string} outcome @param {string} label */
function outcomeForm(charge, outcome, label) {
  return commandForm(
    '/_sim/dispute',
    { 'data-done': `The dispute is ${outcome}.` },
    hiddenField('charge', charge.id),
    hiddenField('outcome', outcome),
    el('button', { class: 'small' }, label),
  );
}

/** @param {State} state @param {Charge} charge @param {Dispute | undefined} dispute */
function disputeForms(state, charge, dispute) {
  if (state.disputes === undefined) return [];
  if (dispute === undefined) {
    return [
      commandForm(
        '/_sim/dispute',
        { 'data-done': 'The charge is disputed.' },
        hiddenField('charge', charge.id),
        el('button', { class: 'small' }, 'Dispute'),
      ),
    ];
  }
  if (dispute.status === 'won' || dispute.status === 'lost') return [];
  return [outcomeForm(charge, 'won', 'Win'), outcomeForm(charge, 'lost', 'Lose')];
}

/** One payment, what became of it, and what can be done to it. @param {State} state @param {Charge} charge */
export function chargeRow(state, charge) {
  const dispute = state.disputes?.find((candidate) => idOf(candidate.charge) === charge.id);
  const paid = charge.status === 'succeeded';
  return el(
    'li',
    { class: 'row', id: charge.id },
    el(
      'div',
      { class: 'row-text' },
      el(
        'p',
        {},
        el('strong', { class: 'figures' }, formatMoney(charge.amount, charge.currency)),
        ' ',
        chargeBadge(charge, dispute),
      ),
      el(
        'p',
        { class: 'muted' },
        [formatMoment(charge.created), charge.description, charge.failure_message]
          .filter(Boolean)
          .join(' · '),
      ),
    ),
    paid &&
      el(
        'div',
        { class: 'row-actions' },
        !charge.refunded && !dispute && refundForm(charge),
        ...disputeForms(state, charge, dispute),
      ),
  );
}
