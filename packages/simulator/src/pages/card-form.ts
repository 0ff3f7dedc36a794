import { type Fragment, html, type SafeHtml } from './page.ts';
import type { PageError } from './views.ts';

/** The provider's published test cards that the pages offer, and what each does (Stripe, "Test cards"). */
const TEST_CARDS = [
  { number: '4242 4242 4242 4242', outcome: 'Succeeds' },
  { number: '4000 0000 0000 0002', outcome: 'Declined' },
  { number: '4000 0000 0000 9995', outcome: 'Insufficient funds' },
  { number: '4000 0025 0000 3155', outcome: 'Asks for 3-D Secure' },
  { number: '4000 0027 6000 3184', outcome: 'Asks at every charge' },
  { number: '4000 0000 0000 0341', outcome: 'Saves, then declined' },
  { number: '4000 0000 0000 0069', outcome: 'Expired' },
] as const;

/** A form's input: what it asks, and what the browser and a screen reader need to help with it. */
type FieldOptions = {
  name: string;
  label: string;
  autocomplete: string;
  type?: 'text' | 'email' | undefined;
  inputmode?: 'numeric' | 'email' | undefined;
  placeholder?: string | undefined;
  value?: string | undefined;
  readOnly?: boolean | undefined;
};

type AnyError = PageError<string> | undefined;

/** A labelled input; the one that an error names is marked invalid and described by the error's text. */
export function renderField(field: FieldOptions, error: AnyError): SafeHtml {
  const wrong = error?.field === field.name ? error : undefined;
  const invalid: Fragment =
    wrong && html` aria-invalid="true" aria-describedby="${field.name}-error" autofocus`;
  return html`<div class="field field-${field.name}">
  <label for="${field.name}">${field.label}</label>
  <input id="${field.name}" name="${field.name}" type="${field.type ?? 'text'}" required
    autocomplete="${field.autocomplete}" placeholder="${field.placeholder ?? ''}" value="${field.value ?? ''}"
    ${field.inputmode && html`inputmode="${field.inputmode}"`} ${field.readOnly && html`readonly`}${invalid}>
  ${wrong && html`<p class="field-error" id="${field.name}-error" role="alert" data-code="${wrong.code}">${wrong.message}</p>`}
</div>`;
}

/** Card number, expiry and security code, named and hinted so that a browser's autofill knows them. */
export function renderCardFields(error: AnyError): SafeHtml {
  return html`<div class="card-fields">
${renderField(
  {
    name: 'number',
    label: 'Card number',
    autocomplete: 'cc-number',
    inputmode: 'numeric',
    placeholder: '1234 1234 1234 1234',
  },
  error,
)}
${renderField(
  {
    name: 'exp',
    label: 'Expiry (MM / YY)',
    autocomplete: 'cc-exp',
    inputmode: 'numeric',
    placeholder: 'MM / YY',
  },
  error,
)}
${renderField(
  {
    name: 'cvc',
    label: 'Security code (CVC)',
    autocomplete: 'cc-csc',
    inputmode: 'numeric',
    placeholder: 'CVC',
  },
  error,
)}
</div>`;
}

/**
 * The test cards as buttons that fill the form they stand in (scripts/card-form.js does the filling). They stand below
 * its last button, so that they push nothing of it down.
 */
export function renderTestCards(): SafeHtml {
  return html`<fieldset class="test-cards">
  <legend>Simulation: fill in a test card</legend>
  <ul>${TEST_CARDS.map(
    (card) => html`
    <li><button type="button" class="test-card" data-card="${card.number}" title="${card.number}">${card.outcome}</button></li>`,
  )}
  </ul>
</fieldset>`;
}

/** Why the last attempt was refused, if no field can say it: announced at once and focused when the page opens. */
export function renderErrorSummary(error: AnyError): SafeHtml {
  if (error === undefined || error.field !== undefined) return html``;
  return html`<div class="error-summary" role="alert" tabindex="-1" autofocus data-code="${error.code}">
  <p>${error.message}</p>
</div>`;
}
