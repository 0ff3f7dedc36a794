import { randomUUID } from 'node:crypto';
import { isFirefoxId } from '@extension-billing/contract/extension-id';
import { VERSION_HEADER } from '@extension-billing/contract/headers';
import type { Request, RequestHandler, Response } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { AppDeps } from '../deps.ts';
import type { Log } from '../log.ts';
import { refuse, sendProblem } from './answer.ts';
import { serviceOf, userOf } from './authenticate.ts';

/** Long enough to be an id of its own, and of characters that no log and no header has to quote. */
const CORRELATION_ID = /^[A-Za-z0-9_-]{8,64}$/;

// What every request passes on its way to a route: request id, CORS, the switch of billing, deadline and rate limit.

/**
 * Gives the request its id: what the client sent as `X-Correlation-Id`, else a new one. Its log line, the ledger entry
 * that it writes and its answer carry it (docs/decisions/http.md#correlation-id).
 */
export function requestId(log: Log): RequestHandler {
  return (req, res, next) => {
    const sent = req.headers['x-correlation-id'];
    const correlationId = typeof sent === 'string' && CORRELATION_ID.test(sent) ? sent : randomUUID();
    res.locals.correlationId = correlationId;
    res.locals.log = log.of(correlationId);
    res.setHeader('X-Correlation-Id', correlationId);
    next();
  };
}

/** The id of the request that this answers. */
export function requestIdOf(res: Response): string {
  const correlationId: unknown = res.locals.correlationId;
  if (typeof correlationId !== 'string') throw new Error('this route is not mounted behind correlate');
  return correlationId;
}

/** The log of the request that this answers: its lines carry the request's id. */
export function logOf(res: Response): Log {
  const log: Log | undefined = res.locals.log;
  if (log === undefined) throw new Error('this route is not mounted behind correlate');
  return log;
}

/** The same parts with the log of one request. Those that are made at their first use still are. */
export function withLog<Deps extends Pick<AppDeps, 'log'>>(deps: Deps, log: Log): Deps {
  return Object.create(deps, { log: { value: log, enumerable: true } });
}

/** What every answer carries. */
export const plainHeaders: RequestHandler = (_req, res, next) => {
  // The server around this app (emulator) sets it before the app has a say.
  res.removeHeader('X-Powered-By');
  res.setHeader('Cache-Control', 'no-store');
  // No browser may take an answer for a page or a script, whatever a path in it looks like.
  res.setHeader('X-Content-Type-Options', 'nosniff');
  next();
};

/** Tells whether an extension of this id is one of the project's. */
export type IsOwnExtension = (id: string) => boolean;

/** The extensions of the catalogue in force, and those that are configured: no list of theirs has to be kept twice. */
export function ownExtensions({
  config,
  catalog,
}: Pick<AppDeps, 'catalog'> & { readonly config: Pick<AppDeps['config'], 'extensionIds'> }): IsOwnExtension {
  return (id) => Object.hasOwn(catalog().apps, id) || config.extensionIds.includes(id);
}

/**
 * Whether one of the project's extensions is Firefox's. Its pages have an origin that is another in each profile and says
 * nothing of the id: where there is such an extension, every one in Firefox may read the answers. What it asks still
 * needs the user's token, which only their own extension has (docs/decisions/firefox.md#who-may-read-answers).
 */
export function servesFirefox({ config, catalog }: Parameters<typeof ownExtensions>[0]): () => boolean {
  return () => [...Object.keys(catalog().apps), ...config.extensionIds].some(isFirefoxId);
}

const FIREFOX_ORIGIN = /^moz-extension:\/\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const EXTENSION_ORIGIN = /^chrome-extension:\/\/([a-p]{32})$/;

/**
 * The extension whose worker or page sent a request, as the browser says (`Origin`); null for another caller, and for an
 * extension that is none of the project's.
 */
export function extensionOf(req: Pick<Request, 'headers'>, isOwn: IsOwnExtension): string | null {
  const [, id] = EXTENSION_ORIGIN.exec(req.headers.origin ?? '') ?? [];
  return id !== undefined && isOwn(id) ? id : null;
}

interface Readers {
  readonly isOwn: IsOwnExtension;
  readonly hasFirefox: () => boolean;
  readonly webOrigins: readonly string[];
}

/**
 * Lets the pages of the project's extensions and of its web apps read the answers, and nobody else's. Preflights are
 * answered here, for every path, so that they can also read a 404.
 */
export function cors({ isOwn, hasFirefox, webOrigins }: Readers): RequestHandler {
  const reads = (req: Request, origin: string): boolean =>
    extensionOf(req, isOwn) !== null ||
    webOrigins.includes(origin) ||
    (FIREFOX_ORIGIN.test(origin) && hasFirefox());
  return (req, res, next) => {
    res.vary('Origin');
    const { origin } = req.headers;
    if (origin === undefined || !reads(req, origin)) return next();
    res.set('Access-Control-Allow-Origin', origin);
    res.set('Access-Control-Expose-Headers', `Retry-After, X-Correlation-Id, ${VERSION_HEADER}`);
    if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined) {
      return next();
    }
    res.set('Access-Control-Allow-Methods', 'GET, POST');
    res.set(
      'Access-Control-Allow-Headers',
      `Authorization, Content-Type, Idempotency-Key, X-Correlation-Id, ${VERSION_HEADER}`,
    );
    // Chrome keeps a preflight for two hours at most.
    res.set('Access-Control-Max-Age', '7200');
    res.status(204).end();
  };
}

/**
 * Answers 501 to every /billing/* path and method while billing is disabled, known path or not
 * (specification, "Errors").
 */
export function billingGate(disabled: boolean): RequestHandler {
  return (req, res, next) => {
    if (!disabled || !/^\/billing(?:\/|$)/i.test(req.path)) return next();
    const detail = 'Billing is turned off on this server (BILLING_DISABLED=true).';
    refuse(logOf(res), req, res, 'billing_disabled', detail);
  };
}

/**
 * Answers 503 with `Retry-After` when a request has no answer after `withinMs`, so that no caller is left to the
 * platform's own limit, which answers with a page. What is under way goes on: its outcome is found by the same
 * idempotency key, or by the provider's next delivery.
 */
export function answerInTime(withinMs: number): RequestHandler {
  return (req, res, next) => {
    const timer = setTimeout(() => {
      if (res.headersSent) return;
      logOf(res).error('not_answered_in_time', { method: req.method, path: req.path, withinMs });
      res.setHeader('Retry-After', '1');
      // A body that is still on its way will not be read to its end.
      if (!req.complete) res.setHeader('Connection', 'close');
      sendProblem(res, 'temporarily_unavailable', 'This took too long; send the very same request again.');
    }, withinMs);
    res.once('close', () => clearTimeout(timer));
    next();
  };
}

/** Has the catalogue read beside all that comes before the route, where it is old (deps.ts). */
export function askForCatalog({ catalogReady }: Pick<AppDeps, 'catalogReady'>): RequestHandler {
  return ({ headers }, _res, next) => {
    // Who brings no token is refused at the door, and nothing is loaded for them.
    if (headers.authorization !== undefined) void catalogReady();
    next();
  };
}

/** Lets a route begin only with a catalogue that is in force: mostly at once. */
export function awaitCatalog({ catalogReady }: Pick<AppDeps, 'catalogReady'>): RequestHandler {
  return async (_req, _res, next) => {
    await catalogReady();
    next();
  };
}

/** One caller asks too often: the error handler answers 429 with `Retry-After`. */
export class TooManyRequests extends Error {
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number, what = 'requests', whose = 'this user') {
    super(`Too many ${what} from ${whose}; try again in ${retryAfterSeconds} s.`);
    this.name = 'TooManyRequests';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * At most `burst` requests of a user to this instance in the time in which `perSecond` allows as many, and the same of a
 * service, which has limits of its own. It keeps one runaway client from using up an instance; it is not an exact quota
 * across instances. Behind `requireCaller`.
 *
 * A caller is forgotten when that time is over, so the memory is bounded by the requests that an instance can answer
 * in it.
 */
export function rateLimit({ config }: Pick<AppDeps, 'config'>): RequestHandler {
  const budget = ({ perSecond, burst }: Rate): Budget => ({
    what: 'requests',
    points: burst,
    seconds: Math.max(1, burst / perSecond),
  });
  const users = limiterOf(budget(config.rateLimit));
  const services = limiterOf(budget(config.serviceRateLimit));

  return async (_req, res, next) => {
    const service = serviceOf(res);
    if (service !== null) await services(service, 1, 'this service');
    await users(payerOf(res), 1);
    next();
  };
}

type Rate = AppDeps['config']['rateLimit'];

/** `points` of a user in each `seconds`; `what` they buy, for the refusal. */
interface Budget {
  readonly what: string;
  readonly points: number;
  readonly seconds: number;
}

/**
 * Takes what a request costs from a budget that its user has on this instance: requests are not equally dear, and what
 * is paid for by the document or shared at the provider is bounded by that. Behind `requireCaller`.
 */
export function costLimit(budget: Budget, costOf: (req: Request) => number = () => 1): RequestHandler {
  const take = limiterOf(budget);
  return async (req, res, next) => {
    await take(payerOf(res), costOf(req));
    next();
  };
}

/**
 * Whose budget a request is paid from. What services ask for a user is counted apart from what the user asks: nobody
 * keeps the owner's backend from ending what it holds by a flood of requests of their own.
 */
function payerOf(res: Response): string {
  return `${serviceOf(res) === null ? 'user' : 'service'} ${userOf(res)}`;
}

function limiterOf({ what, points, seconds }: Budget) {
  const limiter = new RateLimiterMemory({ points, duration: seconds });
  return async (payer: string, cost: number, whose?: string): Promise<void> => {
    try {
      await limiter.consume(payer, cost);
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      throw new TooManyRequests(Math.max(1, Math.ceil(refused.msBeforeNext / 1000)), what, whose);
    }
  };
}
