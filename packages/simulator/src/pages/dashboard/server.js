/** @typedef {import('./state.d.ts').Picture} Picture */
/** @typedef {import('./state.d.ts').ServiceRecord} ServiceRecord */

/** @param {Response} response */
async function refusalOf(response) {
  const text = await response.text();
  try {
    const body = JSON.parse(text);
    return String(body.error?.message ?? body.error ?? body.message ?? text);
  } catch {
    return text || `The simulator answered ${response.status}.`;
  }
}

/** @param {string} path */
async function get(path) {
  const response = await fetch(path, { headers: { accept: 'application/json' }, cache: 'no-store' });
  if (!response.ok) throw new Error(await refusalOf(response));
  return response.json();
}

// Whether the simulator has a service to ask does not change while it runs.
let hasRecords = true;
/** @type {Map<string, ServiceRecord>} */
let lastRecords = new Map();

/**
 * The service's records by customer id; null where the simulator has no service to ask. While the service does not
 * answer, those seen last, and why.
 * @returns {Promise<{ records: Map<string, ServiceRecord> | null, problem: string | null }>}
 */
async function getRecords() {
  if (!hasRecords) return { records: null, problem: null };
  const response = await fetch('/_sim/records', { cache: 'no-store' });
  hasRecords = response.status !== 404;
  if (!hasRecords) return { records: null, problem: null };
  if (!response.ok) return { records: lastRecords, problem: await refusalOf(response) };
  lastRecords = new Map(Object.entries(await response.json()));
  return { records: lastRecords, problem: null };
}

/** Asks for everything that the page shows. @returns {Promise<Picture>} */
export async function getPicture() {
  const [{ now }, state, deliveries, mode, { records, problem }] = await Promise.all([
    get('/_sim/now'),
    get('/_sim/state'),
    get('/_sim/deliveries'),
    get('/_sim/delivery'),
    getRecords(),
  ]);
  return { now, state, deliveries, mode, records, recordsProblem: problem };
}

/** Posts a command; throws the simulator's own message when it is refused. @param {string} path @param {unknown} body */
async function postCommand(path, body) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await refusalOf(response));
}

/** @param {HTMLInputElement | HTMLSelectElement | HTMLButtonElement} field */
function fieldValue(field) {
  if (field instanceof HTMLInputElement && field.type === 'checkbox') return field.checked;
  const text = field.value.trim();
  switch (field.dataset.kind) {
    case 'boolean':
      return text === 'true';
    case 'number':
      return Number(text);
    case 'minor':
      return Math.round(Number(text.replace(',', '.')) * 10 ** Number(field.dataset.digits));
    default:
      return text;
  }
}

/**
 * A form's fields as the body of its command. An empty field is left out; of several buttons only the pressed
 * one counts.
 * @param {HTMLFormElement} form @param {HTMLElement | null} submitter
 */
function commandBody(form, submitter) {
  /** @type {Record<string, unknown>} */
  const body = {};
  for (const field of form.elements) {
    const known =
      field instanceof HTMLInputElement ||
      field instanceof HTMLSelectElement ||
      field instanceof HTMLButtonElement;
    if (!known || field.name === '' || field.value.trim() === '') continue;
    if (field instanceof HTMLButtonElement && field !== submitter) continue;
    body[field.name] = fieldValue(field);
  }
  return body;
}

/**
 * Sends each submitted command form as JSON, says what came of it, and asks for a refresh.
 * @param {(text: string, failed: boolean) => void} say @param {() => Promise<void>} refresh
 */
export function serveCommands(say, refresh) {
  document.addEventListener('submit', async (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.dataset.path === undefined) return;
    event.preventDefault();
    if (form.dataset.busy) return;
    form.dataset.busy = 'true';
    try {
      await postCommand(form.dataset.path, commandBody(form, event.submitter));
      say(form.dataset.done ?? 'Done.', false);
      form.querySelector('details')?.removeAttribute('open');
      for (const input of form.querySelectorAll('input.amount')) {
        if (input instanceof HTMLInputElement) input.value = '';
      }
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), true);
    } finally {
      delete form.dataset.busy;
    }
    await refresh();
  });
}
