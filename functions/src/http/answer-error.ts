import type { ErrorRequestHandler } from 'express';
import type { Logger } from '../deps.ts';
import { InvalidRequest, sendProblem, Unavailable } from './answer.ts';
import { Unauthenticated } from './authenticate.ts';
import { PayloadTooLarge } from './body.ts';
import { TooManyRequests } from './limit-rate.ts';

/** The one place where what a route throws becomes an answer. Anything not expected is a logged 500. */
export function answerError(log: Logger): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    if (res.headersSent) {
      log.error('answer_interrupted', { method: req.method, path: req.path, ...describe(error) });
      // One that was answered for taking too long has given its connection to the next request.
      if (!res.writableEnded) res.destroy();
      return;
    }
    if (error instanceof InvalidRequest) return sendProblem(res, error.code, error.message);
    if (error instanceof Unauthenticated) {
      res.setHeader('WWW-Authenticate', 'Bearer');
      return sendProblem(res, 'unauthenticated', error.message);
    }
    if (error instanceof PayloadTooLarge) {
      // What is still on its way will not be read, so the connection cannot carry another request.
      res.setHeader('Connection', 'close');
      return sendProblem(res, 'payload_too_large', error.message);
    }
    if (error instanceof TooManyRequests) {
      res.setHeader('Retry-After', String(error.retryAfterSeconds));
      return sendProblem(res, 'too_many_requests', error.message);
    }
    if (error instanceof Unavailable) {
      log.warn('temporarily_unavailable', { path: req.path, ...describe(error.cause ?? error) });
      res.setHeader('Retry-After', String(error.retryAfterSeconds));
      return sendProblem(res, 'temporarily_unavailable', error.message);
    }
    if (isStoreOutage(error)) {
      log.warn('store_unavailable', { path: req.path, ...describe(error) });
      res.setHeader('Retry-After', '1');
      sendProblem(res, 'temporarily_unavailable', 'The database did not answer in time; try again shortly.');
      return;
    }
    if (isBadPath(error)) return sendProblem(res, 'invalid_request', 'The path is not validly encoded.');
    log.error('internal_error', { method: req.method, path: req.path, ...describe(error) });
    sendProblem(res, 'internal', 'The request could not be carried out; it is safe to try it again.');
  };
}

/** Name, code and place of an error. Its message may quote a request, so it is left out. */
function describe(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { error: typeof error };
  const [, ...frames] = (error.stack ?? '').split('\n    at ');
  return {
    error: error.name,
    ...('code' in error && { code: error.code }),
    at: frames.slice(0, 5),
  };
}

/** Express throws this for a path such as `/%E0%A4%A`. */
function isBadPath(error: unknown): boolean {
  return error instanceof URIError;
}

/** gRPC's deadline exceeded, resource exhausted, aborted and unavailable: Firestore's way of saying "later". */
const STORE_OUTAGES: ReadonlySet<unknown> = new Set([4, 8, 10, 14]);

function isStoreOutage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && STORE_OUTAGES.has(error.code);
}
