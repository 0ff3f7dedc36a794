import type { ErrorCode } from '@extension-billing/contract/api';
import type { Request, Response } from 'express';
import type { Logger } from '../log.ts';
import { sendProblem } from './answer.ts';

/** Answers what is refused before a route does anything, and leaves the one line that tells of it. */
export function refuse(log: Logger, req: Request, res: Response, code: ErrorCode, detail: string): void {
  log.info('request_refused', { method: req.method, route: routeOf(req), code });
  sendProblem(res, code, detail);
}

/** The route as app.ts names it; null where there is none. A path is a caller's own words. */
export function routeOf(req: Request): string | null {
  const path: unknown = req.route?.path;
  return typeof path === 'string' ? path : null;
}
