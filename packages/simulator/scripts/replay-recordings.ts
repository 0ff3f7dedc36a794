/**
 * Replays the calls that public projects recorded at Stripe (VCR cassettes of pay-rails/pay, MIT) and compares what
 * the simulator answers: the status, the kind of object and its own `status`. No package ships the recordings, so they
 * are read from a clone and never copied here.
 *
 *   node packages/simulator/scripts/replay-recordings.ts path/to/pay
 *
 * The known differences are in recorded-differences.json. A difference that isn't listed fails, and so does a listed
 * one that is gone: the list only shrinks.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { createSimulator, type Simulator } from '../src/server.ts';

interface Recorded {
  readonly request: {
    readonly method: string;
    readonly uri: string;
    readonly body?: { readonly string?: string };
    readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
  };
  readonly response: {
    readonly status: { readonly code: number };
    readonly body: { readonly string: string };
  };
}

interface Json {
  readonly [key: string]: unknown;
}
const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** The oldest version that the simulator takes. */
const OLDEST = '2025-03-31';

/** What the recorder wrote in place of letters and words that stand in its secrets. */
const MASKED: readonly (readonly [string, string])[] = [
  ['<VENDOR_ID>', '1'],
  ['<VENDOR_AUTH_CODE>', 'x'],
  ['<PADDLE_API_KEY>', 'secret'],
];

const unmask = (text: string): string =>
  MASKED.reduce((read, [mask, meant]) => read.replaceAll(mask, meant), text);

/** Ruby's name for a text that it wrote in base64. */
const BASE64 = { tag: '!binary', resolve: (text: string) => unmask(Buffer.from(text, 'base64').toString()) };

function readCassette(file: string): readonly Recorded[] {
  const masked = readFileSync(file, 'utf8');
  if (!masked.includes('https://api.stripe.com/')) return [];
  const { http_interactions: calls } = parse(unmask(masked), { customTags: [BASE64] }) as {
    http_interactions: readonly Recorded[];
  };
  return calls.filter(
    ({ request, response }) =>
      request.uri.startsWith('https://api.stripe.com/v1/') &&
      (request.headers['Stripe-Version']?.[0] ?? '') >= OLDEST &&
      // The recorder's own key was wrong.
      response.status.code !== 401,
  );
}

/** Every object within a value that has an id. */
function objectsIn(value: unknown): readonly Json[] {
  if (!isJson(value)) return [];
  const inner = Object.values(value).flatMap(objectsIn);
  return typeof value.id === 'string' && typeof value.object === 'string' ? [value, ...inner] : inner;
}

/** What was in the account before the recording: products, prices and coupons that it only names. */
function seed({ world }: Simulator, calls: readonly Recorded[]): void {
  const { coupons, products, prices } = world.tables;
  for (const row of calls.flatMap(({ response }) => objectsIn(bodyOf(response)))) {
    if (row.object === 'coupon') coupons.insert({ ...row, valid: true } as never);
    if (row.object !== 'price' || typeof row.product !== 'string') continue;
    const product = { id: row.product, object: 'product', active: true, name: 'Recorded' };
    if (products.get(row.product) === undefined) products.insert(product as never);
    prices.insert({ ...row, active: true } as never);
  }
}

function bodyOf({ body }: Recorded['response']): unknown {
  try {
    return JSON.parse(body.string);
  } catch {
    return null;
  }
}

/** Learns which of the simulator's ids stands for which recorded one, by their places in two answers. */
function learn(ids: Map<string, string>, recorded: unknown, answered: unknown): void {
  if (!isJson(recorded) || !isJson(answered)) return;
  for (const [key, value] of Object.entries(recorded)) {
    const own = answered[key];
    if (typeof value === 'string' && typeof own === 'string' && /^[a-z]+(_[a-z]+)*_\w{8,}$/.test(value))
      ids.set(value, own);
    learn(ids, value, own);
  }
}

const ID = /\b(?!pm_card_|tok_)[a-z]+(?:_[a-z]+)*_(?=\w*[A-Z0-9])[A-Za-z0-9]{8,}\b/g;

/** Whether a call names only what is there: many cassettes hold later runs without the calls that made their objects. */
function isWhole(ids: ReadonlyMap<string, string>, { world }: Simulator, sent: string): boolean {
  return [...decodeURIComponent(sent).matchAll(ID)].every(
    ([id]) =>
      ids.has(id) || world.tables.prices.get(id) !== undefined || world.tables.products.get(id) !== undefined,
  );
}

/** What is compared of an answer. */
function gistOf(status: number, body: unknown): string {
  if (!isJson(body)) return String(status);
  const error = isJson(body.error) ? body.error : null;
  if (error !== null) return `${status} ${String(error.code ?? error.type)}`;
  return [status, body.object, body.status].filter((part) => typeof part !== 'object').join(' ');
}

async function replay(simulator: Simulator, calls: readonly Recorded[]): Promise<readonly (string | null)[]> {
  const ids = new Map<string, string>();
  const translated = (text: string): string =>
    text.replaceAll(/[a-z]+(?:_[a-z]+)*_\w{8,}/g, (id) => ids.get(id) ?? id);
  const found: (string | null)[] = [];
  for (const { request, response } of calls) {
    const { pathname, search } = new URL(request.uri);
    if (!isWhole(ids, simulator, `${pathname}${search} ${request.body?.string ?? ''}`)) continue;
    const method = request.method.toUpperCase();
    const answer = await fetch(`${simulator.url}${translated(pathname + search)}`, {
      method,
      headers: {
        authorization: 'Bearer sk_test_recorded',
        'content-type': 'application/x-www-form-urlencoded',
        'stripe-version': request.headers['Stripe-Version']?.[0] ?? '',
      },
      ...(method === 'POST' ? { body: translated(request.body?.string ?? '') } : {}),
    });
    const answered: unknown = await answer.json();
    const recorded = bodyOf(response);
    learn(ids, recorded, answered);
    const wanted = gistOf(response.status.code, recorded);
    const got = gistOf(answer.status, answered);
    const why = isJson(answered) && isJson(answered.error) ? `: ${String(answered.error.message)}` : '';
    found.push(
      wanted === got
        ? null
        : `${method} ${pathname.replaceAll(/\/\w+_\w{8,}/g, '/{id}')}: ${wanted}, here ${got}${why}`,
    );
  }
  return found;
}

const [clone] = process.argv.slice(2);
if (clone === undefined) {
  console.error(
    'Name a clone of pay-rails/pay: node packages/simulator/scripts/replay-recordings.ts path/to/pay',
  );
  process.exit(2);
}
const folder = join(clone, 'test', 'vcr_cassettes');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.yml'),
);
const differences = new Map<string, string>();
let passed = 0;
for (const file of files.sort()) {
  const calls = readCassette(join(folder, file));
  if (calls.length === 0) continue;
  const simulator = await createSimulator();
  seed(simulator, calls);
  for (const [index, difference] of (await replay(simulator, calls)).entries())
    if (difference === null) passed += 1;
    else differences.set(`${file} ${index + 1}`, difference);
  await simulator.close();
}
console.log(`${passed} of ${passed + differences.size} recorded calls are answered alike.`);
const known: readonly string[] = JSON.parse(
  readFileSync(new URL('recorded-differences.json', import.meta.url), 'utf8'),
);
const unknown = [...differences].filter(([call]) => !known.includes(call));
const gone = known.filter((call) => !differences.has(call));
for (const [call, difference] of unknown) console.log(`new: ${call}: ${difference}`);
for (const call of gone) console.log(`gone, take it off the list: ${call}`);
process.exitCode = unknown.length + gone.length === 0 ? 0 : 1;
