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

/**
 * The service's records by customer id, from an object or a list; null where the simulator has no such route.
 * @returns {Promise<Map<string, ServiceRecord> | null>}
 */
async function getRecords() {
  if (!hasRecords) return null;
  const response = await fetch('/_sim/records', { cache: 'no-store' });
  hasRecords = response.status !== 404;
  if (!hasRecords) return null;
  if (!response.ok) throw new Error(`The service's records: ${await refusalOf(response)}`);
  const body = await response.json();
  const records = body.records ?? body;
  if (!Array.isArray(records)) return new Map(Object.entries(records));
  return new Map(
    records.map((record) => [String(record.customer ?? record.customerId), record.record ?? record]),
  );
}

/** Asks for everything that the page shows. @returns {Promise<Picture>} */
export async function getPicture() {
  const [clock, state, deliveries, mode, records] = await Promise.all([
    get('/_sim/now'),
    get('/_sim/state'),
    get('/_sim/deliveries'),
    get('/_sim/delivery'),
    getRecords(),
  ]);
  return {
    now: typeof clock === 'number' ? clock : clock.now,
    state,
    deliveries: Array.isArray(deliveries) ? deliveries : deliveries.deliveries,
    mode,
    records,
  };
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
