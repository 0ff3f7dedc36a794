import { text } from 'node:stream/consumers';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { newId } from '../state/ids.ts';
import type { KeptAnswer } from '../state/snapshot.ts';
import { API_VERSION, type World } from '../state/world.ts';
import {
  idempotencyInUse,
  idempotencyMismatch,
  invalidRequest,
  StripeApiError,
  unauthorized,
  unknownUrl,
} from './errors.ts';
import { checkExpand, expand } from './expand.ts';
import { type Fault, type Faults, faultError } from './faults.ts';
import type { Route } from './operations.ts';
import { parseForm, validate } from './parameters.ts';
import type { RateLimit } from './rate-limit.ts';
import { ROUTES } from './routes.ts';
import { requestSchema } from './schemas.ts';
import { refuseUnsupported } from './supported.ts';
import { checkVersion } from './versions.ts';

interface Answer {
  status: number;
  body: string;
}

/** Remembers what a POST with an idempotency key was answered, errors from its execution included. */
export class IdempotencyKeys {
  private readonly answers = new Map<string, { fingerprint: string; answer: Answer }>();
  private readonly inUse = new Set<string>();

  /**
   * Takes a key for the time of a request; the answered function gives it back.
   * @throws StripeApiError 409 `idempotency_key_in_use` while another request has it.
   */
  take(key: string): () => void {
    if (this.inUse.has(key)) throw idempotencyInUse(key);
    this.inUse.add(key);
    return () => this.inUse.delete(key);
  }

  /**
   * The recorded answer, or null when the key is new.
   * @throws StripeApiError 400 `idempotency_error` when the key came with other parameters before.
   */
  recorded(key: string, fingerprint: string): Answer | null {
    if (key.length > 255)
      throw invalidRequest(
        'Idempotency keys can be at most 255 characters long.',
        undefined,
        'idempotency_key_too_long',
      );
    const found = this.answers.get(key);
    if (found === undefined) return null;
    if (found.fingerprint !== fingerprint) throw idempotencyMismatch(key);
    return found.answer;
  }

  record(key: string, fingerprint: string, answer: Answer): void {
    this.answers.set(key, { fingerprint, answer });
  }

  /** All that is remembered, to be kept in a file. */
  entries(): KeptAnswer[] {
    return [...this.answers];
  }

  restore(entries: readonly KeptAnswer[]): void {
    this.answers.clear();
    for (const [key, recorded] of entries) this.answers.set(key, recorded);
  }

  clear(): void {
    this.answers.clear();
  }
}

/** Stripe takes the key as a bearer token or as the user name of basic authentication. */
function apiKeyOf(header: string | undefined): string {
  const [scheme = '', value = ''] = (header ?? '').split(' ');
  if (scheme === 'Bearer') return value;
  if (scheme === 'Basic') return Buffer.from(value, 'base64').toString('utf8').split(':')[0] ?? '';
  return '';
}

type ApiCall = Context<{ Bindings: HttpBindings }>;

function checkKey(authorization: string | undefined): void {
  const key = apiKeyOf(authorization);
  if (key === '')
    throw unauthorized(
      "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY'). See https://stripe.com/docs/api#authentication for details, or we can help at https://support.stripe.com/.",
    );
  if (!/^(sk|rk)_test_/.test(key))
    throw unauthorized(`Invalid API Key provided: ${key.slice(0, 8)}${'*'.repeat(8)}`);
}

function failure(error: unknown): Answer {
  if (error instanceof StripeApiError)
    return { status: error.status, body: JSON.stringify({ error: error.body }, null, 2) };
  console.error(error);
  const message = 'An error occurred in the simulator. Its log says more.';
  return { status: 500, body: JSON.stringify({ error: { type: 'api_error', message } }, null, 2) };
}

interface Asked {
  /** Null for an address that Stripe, or the simulator, does not have. */
  route: Route | null;
  url: URL;
  body: string;
  fault: Fault | null;
}

/** Checks, executes and expands one call. Validation failures throw before anything is done; failures of the execution are answers. */
function execute(
  { world, keys }: ApiContext,
  { req }: ApiCall,
  { route, url, body, fault }: Asked,
): Answer & { replayed: boolean } {
  const { method } = req;
  checkKey(req.header('authorization'));
  if (route === null) throw unknownUrl(method, url.pathname);
  const form = { ...parseForm(url.search.slice(1)), ...parseForm(body) };
  const key = method === 'POST' ? (req.header('idempotency-key') ?? null) : null;
  const fingerprint = `${method} ${url.pathname} ${JSON.stringify(form)}`;
  const recorded = key === null ? null : keys.recorded(key, fingerprint);
  if (recorded !== null) return { ...recorded, replayed: true };
  const params = validate(form, requestSchema(route.operation, req.header('stripe-version')));
  const paths = Array.isArray(params.expand) ? params.expand.map(String) : [];
  delete params.expand;
  refuseUnsupported(route.operation, params);
  checkExpand(route.operation, paths);
  let answer: Answer;
  try {
    if (fault?.status === 500 && !fault.afterwards) throw faultError(500);
    const id = (name: string): string => req.param(name) ?? '';
    const result = route.handle({ world, params: params as never, id, path: url.pathname });
    answer = { status: 200, body: JSON.stringify(expand(world, result, paths), null, 2) };
  } catch (error) {
    answer = failure(error);
  }
  if (key !== null) keys.record(key, fingerprint, answer);
  return { ...answer, replayed: false };
}

/** Nothing is answered: the connection breaks off. */
const LOST: Answer = { status: 0, body: '' };

/** One call and its answer, as it went over the wire. */
export interface Exchange {
  method: string;
  /** With the query string. */
  path: string;
  requestBody: string;
  /** The API version that was asked for; null where none was, as by Stripe's CLI. */
  version: string | null;
  status: number;
  responseBody: string;
}

interface ApiContext {
  world: World;
  keys: IdempotencyKeys;
  faults: Faults;
  limit: RateLimit;
  /** Resolves when what has changed is kept, where it is kept at all. */
  saved: () => Promise<void>;
  /** Called with every call and its answer. */
  onExchange: (exchange: Exchange) => void;
}

/** Answers everything under /v1 the way Stripe's API does. */
export function apiRoutes(context: ApiContext): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  // Else it would be read as an object with the id "search".
  app.get('/v1/:kind/search', (call) => answerCall(context, call, null));
  for (const route of ROUTES) {
    const [method = '', path = ''] = route.operation.split(' ');
    app.on(method, path.replaceAll(/\{(\w+)\}/g, ':$1'), (call) => answerCall(context, call, route));
  }
  return app.all('/v1/*', (call) => answerCall(context, call, null));
}

/** @param route null for an address that Stripe, or the simulator, does not have */
async function answerCall(context: ApiContext, call: ApiCall, route: Route | null): Promise<Response> {
  const { req } = call;
  const key = req.method === 'POST' ? (req.header('idempotency-key') ?? null) : null;
  let release = (): void => {};
  try {
    if (key !== null) release = context.keys.take(key);
    return await answerTaken(context, call, route);
  } catch (error) {
    const { status, body } = failure(error);
    return new Response(body, { status, headers: { 'Content-Type': 'application/json' } });
  } finally {
    release();
  }
}

async function answerTaken(context: ApiContext, call: ApiCall, route: Route | null): Promise<Response> {
  const { world, faults, limit, saved, onExchange } = context;
  const { req } = call;
  const { method } = req;
  const url = new URL(req.url);
  const body = await text(call.env.incoming);
  const key = req.header('idempotency-key') ?? null;
  const requestId = newId('req', 14);
  const fault = faults.take(method, url.pathname);
  world.request = { id: requestId, idempotencyKey: key };
  let answer: Answer & { replayed?: boolean };
  try {
    if (/json/.test(req.header('content-type') ?? ''))
      throw invalidRequest('The simulator takes form-encoded bodies under /v1, as Stripe does.');
    checkVersion(req.header('stripe-version'), 'Stripe-Version');
    if (!limit.takes(Date.now())) throw faultError(429);
    // A 500 comes from the execution and is stored under the key; other faults come before it.
    if (fault !== null && fault.status !== 'reset' && fault.status !== 500 && !fault.afterwards)
      throw faultError(fault.status);
    answer =
      fault?.status === 'reset' && !fault.afterwards
        ? LOST
        : execute(context, call, { route, url, body, fault });
    if (fault?.status !== undefined && fault.status !== 'reset' && fault.afterwards)
      throw faultError(fault.status);
  } catch (error) {
    answer = failure(error);
  } finally {
    world.request = null;
  }
  if (method !== 'GET') await saved();
  if (fault?.status === 'reset') {
    call.env.incoming.socket.destroy();
    return RESPONSE_ALREADY_SENT;
  }
  onExchange({
    method,
    path: url.pathname + url.search,
    requestBody: body,
    version: req.header('stripe-version') ?? null,
    status: answer.status,
    responseBody: answer.body,
  });
  const headers = {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-cache, no-store',
    'Request-Id': requestId,
    'Stripe-Version': req.header('stripe-version') ?? API_VERSION,
    ...(key === null ? {} : { 'Idempotency-Key': key }),
    ...(answer.status === 429 ? { 'Stripe-Rate-Limited-Reason': 'global-rate' } : {}),
    ...(answer.replayed === true ? { 'Idempotent-Replayed': 'true' } : {}),
  };
  return new Response(answer.body, { status: answer.status, headers });
}
