import { randomUUID } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import type { AppDeps } from '../deps.ts';
import type { Log } from '../log.ts';

/** Long enough to be a name of its own, and of characters that no log and no header has to quote. */
const CORRELATION_ID = /^[A-Za-z0-9_-]{8,64}$/;

/**
 * Names the request: by what the client sent as `X-Correlation-Id`, else by a new id. Its log line, the ledger entry
 * that it writes and its answer carry the name (docs/decisions/0073-correlation-id.md).
 */
export function correlate(log: Log): RequestHandler {
  return (req, res, next) => {
    const sent = req.headers['x-correlation-id'];
    const correlationId = typeof sent === 'string' && CORRELATION_ID.test(sent) ? sent : randomUUID();
    res.locals.correlationId = correlationId;
    res.locals.log = log.of(correlationId);
    res.setHeader('X-Correlation-Id', correlationId);
    next();
  };
}

/** The name of the request that this answers. */
export function correlationIdOf(res: Response): string {
  const correlationId: unknown = res.locals.correlationId;
  if (typeof correlationId !== 'string') throw new Error('this route is not mounted behind correlate');
  return correlationId;
}

/** The log of the request that this answers: its lines carry the request's name. */
export function logOf(res: Response): Log {
  const log: Log | undefined = res.locals.log;
  if (log === undefined) throw new Error('this route is not mounted behind correlate');
  return log;
}

/** The same parts with the log of one request. Those that are made at their first use still are. */
export function withLog<Deps extends Pick<AppDeps, 'log'>>(deps: Deps, log: Log): Deps {
  return Object.create(deps, { log: { value: log, enumerable: true } });
}
