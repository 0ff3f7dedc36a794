import type { ErrorRequestHandler, Request, Response } from 'express';
import type { Logger } from '../log.ts';
import { NewerSchema } from '../store/documents.ts';
import { Overloaded } from '../store/group-commit.ts';
import { describeProviderFailure } from '../stripe/client.ts';
import { InvalidRequest, refuse, routeOf, sendProblem, Unavailable } from './answer.ts';
import { CallerNotAllowed, Unauthenticated } from './authenticate.ts';
import { BodyTooSlow, PayloadTooLarge } from './body.ts';
import { logOf, TooManyRequests } from './gates.ts';

/** The error handler: what a route throws becomes an answer. Anything not expected is a logged 500. */
export const errorHandler: ErrorRequestHandler = (error: unknown, req, res, _next) => {
  const log = logOf(res);
  if (res.headersSent) {
    log.error('answer_interrupted', { method: req.method, path: req.path, ...describeError(error) });
    // One that was answered for taking too long has given its connection to the next request.
    if (!res.writableEnded) res.destroy();
    return;
  }
  if (error instanceof InvalidRequest) return refuse(log, req, res, error.code, error.message);
  if (error instanceof Unauthenticated) {
    res.setHeader('WWW-Authenticate', 'Bearer');
    return refuse(log, req, res, 'unauthenticated', error.message);
  }
  if (error instanceof CallerNotAllowed) {
    const extra = error.scope === null ? {} : { scope: error.scope };
    return refuse(log, req, res, 'caller_not_allowed', error.message, extra);
  }
  if (error instanceof PayloadTooLarge || error instanceof BodyTooSlow) {
    // What is still on its way will not be read, so the connection cannot carry another request.
    res.setHeader('Connection', 'close');
    const code = error instanceof BodyTooSlow ? 'request_timeout' : 'payload_too_large';
    return refuse(log, req, res, code, error.message);
  }
  if (error instanceof TooManyRequests) {
    res.setHeader('Retry-After', String(error.retryAfterSeconds));
    return refuse(log, req, res, 'too_many_requests', error.message);
  }
  if (error instanceof Unavailable) {
    log.warn('temporarily_unavailable', { path: req.path, ...describeError(error.cause ?? error) });
    res.setHeader('Retry-After', String(error.retryAfterSeconds));
    return sendProblem(res, 'temporarily_unavailable', error.message);
  }
  if (error instanceof Overloaded) {
    log.warn('temporarily_unavailable', { path: req.path, ...describeError(error) });
    res.setHeader('Retry-After', '1');
    const detail = 'Too many requests wait here; send the very same request again.';
    return sendProblem(res, 'temporarily_unavailable', detail);
  }
  if (error instanceof NewerSchema) {
    log.error('newer_record', { path: req.path, stored: error.stored });
    res.setHeader('Retry-After', '30');
    const detail =
      'A newer version of this service wrote your record, and this one leaves it alone; try again later.';
    sendProblem(res, 'temporarily_unavailable', detail);
    return;
  }
  if (isStoreOutage(error)) {
    log.warn('store_unavailable', { path: req.path, ...describeError(error) });
    res.setHeader('Retry-After', '1');
    sendProblem(res, 'temporarily_unavailable', 'The database did not answer in time; try again shortly.');
    return;
  }
  if (isBadPath(error)) {
    return refuse(log, req, res, 'invalid_request', 'The path is not validly encoded.');
  }
  if (isCallerGone(error, req)) {
    log.info('request_aborted', { method: req.method, route: routeOf(req) });
    res.destroy();
    return;
  }
  log.error('internal_error', { method: req.method, path: req.path, ...describeError(error) });
  sendProblem(res, 'internal', 'The request could not be carried out; it is safe to try it again.');
};

/** Express throws this for a path such as `/%E0%A4%A`. */
function isBadPath(error: unknown): boolean {
  return error instanceof URIError;
}

/** The caller broke off in the middle of the body: nothing was begun, and nobody waits for an answer. */
function isCallerGone(error: unknown, req: Request): boolean {
  return !req.complete && error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
}

/** gRPC's deadline exceeded, resource exhausted, aborted and unavailable: Firestore's way of saying "later". */
const STORE_OUTAGES: ReadonlySet<unknown> = new Set([4, 8, 10, 14]);

function isStoreOutage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && STORE_OUTAGES.has(error.code);
}

const TRY_AGAIN = 'The payment provider could not do this now; try again shortly.';

/**
 * Answers 502 with `Retry-After` where the provider failed, refused or is over its limit; anything else is thrown on to
 * the error handler.
 */
export function answerProviderFailure(
  res: Response,
  log: Logger,
  error: unknown,
  detail: string = TRY_AGAIN,
): void {
  const failure = describeProviderFailure(error);
  if (failure === null) throw error;
  const { retryAfterSeconds, ...described } = failure;
  log.error('provider_failed', described);
  res.setHeader('Retry-After', String(retryAfterSeconds));
  sendProblem(res, 'provider_unavailable', detail);
}

/** Name, code and place of an error. Its message may quote a request, so it is left out. */
export function describeError(error: unknown) {
  if (!(error instanceof Error)) return { error: typeof error };
  const [, ...frames] = (error.stack ?? '').split('\n    at ');
  return {
    error: error.name,
    ...('code' in error && { code: error.code }),
    at: frames.slice(0, 5),
  };
}
