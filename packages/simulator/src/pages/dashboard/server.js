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

/** Posts a command; throws the simulator's own words when it is refused. @param {string} path @param {unknown} body */
export async function postCommand(path, body) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await refusalOf(response));
}
