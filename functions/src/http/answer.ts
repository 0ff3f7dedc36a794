import type { ServerResponse } from 'node:http';
import { type ErrorCode, PROBLEMS, type Problem } from '@extension-billing/contract/problems';
import type { Request, Response } from 'express';
import type { Logger } from '../log.ts';

// Answers, and the errors that stand for one: the error handler answers what a route throws of them.

/** Answers with a JSON body that nobody may keep. */
export function sendJson(res: ServerResponse, status: number, body: object): void {
  send(res, status, 'application/json; charset=utf-8', body);
}

/** Answers with the RFC 9457 body and the status of a code; `extra` becomes members of the body. */
export function sendProblem(res: ServerResponse, code: ErrorCode, detail: string, extra?: object): void {
  const body = problem(code, detail, extra);
  send(res, body.status, 'application/problem+json; charset=utf-8', body);
}

/**
 * The RFC 9457 body for a code. `detail` says what went wrong and what the reader can do next;
 * `extra` adds members of the code's own (the balance of a 402, say).
 */
export function problem<Extra extends object = object>(
  code: ErrorCode,
  detail: string,
  extra?: Extra,
): Problem & Extra {
  return {
    ...(extra as Extra),
    type: `urn:extension-billing:problem:${code}`,
    title: PROBLEMS[code].title,
    status: PROBLEMS[code].status,
    code,
    detail,
  };
}

/** Something outside is down for now: the error handler answers 503 with `Retry-After`. */
export class Unavailable extends Error {
  readonly retryAfterSeconds: number;

  constructor(detail: string, retryAfterSeconds = 1, cause?: unknown) {
    super(detail, { cause });
    this.name = 'Unavailable';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The request is not what the route takes: the error handler answers 400. The message names the field. */
export class InvalidRequest extends Error {
  readonly code: ErrorCode;

  constructor(detail: string, code: ErrorCode = 'invalid_request') {
    super(detail);
    this.name = 'InvalidRequest';
    this.code = code;
  }
}

function send(res: ServerResponse, status: number, type: string, body: object): void {
  // It took too long and was answered already, or the caller has gone.
  if (res.writableEnded) return;
  const payload = Buffer.from(JSON.stringify(body));
  res.writeHead(status, {
    'Content-Type': type,
    'Content-Length': payload.byteLength,
    'Cache-Control': 'no-store',
  });
  res.end(payload);
}

/** Answers what is refused before a route does anything, and leaves the one line that tells of it. */
export function refuse(
  log: Logger,
  req: Request,
  res: Response,
  code: ErrorCode,
  detail: string,
  extra?: object,
): void {
  log.info('request_refused', { method: req.method, route: routeOf(req), code });
  sendProblem(res, code, detail, extra);
}

/** The route as app.ts names it; null where there is none. A path may hold what a caller likes. */
export function routeOf(req: Request): string | null {
  const path: unknown = req.route?.path;
  return typeof path === 'string' ? path : null;
}
