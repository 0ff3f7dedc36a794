// Groups digits as they are typed, fills test cards, sends each form once, and keeps the card after a refusal.

function groupCardNumber(digits) {
  const amex = /^3[47]/.test(digits);
  const groups = amex
    ? /^(\d{1,4})(\d{1,6})?(\d{1,5})?/
    : /^(\d{1,4})(\d{1,4})?(\d{1,4})?(\d{1,4})?(\d{1,3})?/;
  const match = groups.exec(digits);
  return match ? match.slice(1).filter(Boolean).join(' ') : '';
}

function groupExpiry(digits) {
  const padded = /^[2-9]/.test(digits) ? `0${digits}` : digits;
  const year = padded.length === 6 ? padded.slice(4) : padded.slice(2, 4);
  return padded.length < 2 ? padded : `${padded.slice(0, 2)} / ${year}`;
}

/** Rewrites an input's value and keeps the caret behind the same digit. */
function regroup(input, group) {
  const digitsBefore = input.value.slice(0, input.selectionStart).replace(/\D/g, '').length;
  const atEnd = input.selectionStart === input.value.length;
  input.value = group(input.value.replace(/\D/g, ''));
  let caret = input.value.length;
  if (!atEnd) {
    caret = 0;
    for (let seen = 0; seen < digitsBefore && caret < input.value.length; caret++) {
      if (/\d/.test(input.value[caret])) seen++;
    }
  }
  input.setSelectionRange(caret, caret);
}

const groupings = {
  number: groupCardNumber,
  exp: groupExpiry,
  cvc: (digits) => digits.slice(0, 4),
};

for (const [name, group] of Object.entries(groupings)) {
  for (const input of document.querySelectorAll(`input[name=${name}]`)) {
    input.addEventListener('input', (event) => {
      // A separator that was just deleted must not come back by itself.
      if (event.inputType?.startsWith('delete') && name === 'exp') return;
      regroup(input, group);
    });
  }
}

function fill(form, name, value, evenIfFilled) {
  const input = form.elements.namedItem(name);
  if (!(input instanceof HTMLInputElement) || input.readOnly) return;
  if (evenIfFilled || input.value === '') input.value = value;
}

for (const button of document.querySelectorAll('button[data-card]')) {
  button.addEventListener('click', () => {
    fill(button.form, 'number', button.dataset.card, true);
    fill(button.form, 'exp', '12 / 34', true);
    fill(button.form, 'cvc', '123', true);
    fill(button.form, 'email', 'tester@example.com', false);
    fill(button.form, 'name', 'Test Customer', false);
  });
}

// The server never sends a card back, so the tab keeps what was typed until the next page has said yes or no.
const KEPT = ['number', 'exp', 'cvc'];
const kept = sessionStorage.getItem('refused-card');
sessionStorage.removeItem('refused-card');
const refused = document.querySelector('[data-code]');
if (kept !== null && refused !== null) {
  const [path, values] = JSON.parse(kept);
  const form = document.querySelector('input[name=number]')?.form;
  if (path === location.pathname && form) for (const name of KEPT) fill(form, name, values[name], true);
}

function keepCard(form) {
  if (!(form.elements.namedItem('number') instanceof HTMLInputElement)) return;
  const values = Object.fromEntries(KEPT.map((name) => [name, form.elements.namedItem(name).value]));
  sessionStorage.setItem('refused-card', JSON.stringify([location.pathname, values]));
}

for (const form of document.querySelectorAll('form')) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = 'true';
    keepCard(form);
    event.submitter?.setAttribute('aria-busy', 'true');
  });
}

addEventListener('pageshow', (event) => {
  if (!event.persisted) return;
  for (const form of document.forms) delete form.dataset.sent;
  for (const button of document.querySelectorAll('[aria-busy]')) button.removeAttribute('aria-busy');
});
