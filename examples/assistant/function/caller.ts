import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorBody, PROBLEMS, type Problem } from './errors.ts';

const MAX_BODY = 256 * 1024;
const BODY_WITHIN_MS = 10_000;

/** Who asks over HTTP, as far as an answer goes. */
export interface Caller {
  /** Aborted when they go away before the answer's end. */
  readonly gone: AbortSignal;
  /** Whether something of the answer was sent: no other status is possible then. */
  readonly hasBegun: () => boolean;
  /** Sends a piece of a stream, and waits until there is room for more, or until the signal says to wait no longer. */
  write(piece: string, signal: AbortSignal): Promise<void>;
  end(piece: string): void;
  send(status: number, body: object): void;
  refuse(problem: Problem): void;
}

export function callerOf(res: ServerResponse): Caller {
  const controller = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) controller.abort(new Error('The caller went away.'));
  });
  const { signal: gone } = controller;
  const send = (status: number, body: object, headers: Readonly<Record<string, string>> = {}): void => {
    if (gone.aborted) return;
    res.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers });
    res.end(JSON.stringify(body));
  };
  return {
    gone,
    hasBegun: () => res.headersSent,
    async write(piece, signal) {
      if (gone.aborted) return;
      if (!res.headersSent) {
        res.writeHead(200, {
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-store, no-transform',
          // Proxies that would gather the stream first know this one.
          'x-accel-buffering': 'no',
        });
      }
      if (!res.write(piece)) await once(res, 'drain', { signal }).catch(() => undefined);
    },
    end(piece) {
      if (!gone.aborted) res.end(piece);
    },
    send: (status, body) => send(status, body),
    refuse(problem) {
      const { status, retryAfterSeconds } = problem;
      const wait = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
      send(status, { error: errorBody(problem) }, wait);
    },
  };
}

/** The token that came as `Authorization: Bearer`; null without one. */
export function bearerOf({ headers }: IncomingMessage): string | null {
  return /^Bearer +([\w.~+/=-]{1,8192})$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

/** The body of a request, or why it is not taken. Functions of Firebase have read it already. */
export async function bodyOf(
  req: IncomingMessage & { readonly rawBody?: Buffer },
): Promise<string | Problem> {
  if (req.rawBody !== undefined) {
    return req.rawBody.length > MAX_BODY ? PROBLEMS.tooLarge : req.rawBody.toString();
  }
  const late = AbortSignal.timeout(BODY_WITHIN_MS);
  const chunks: Buffer[] = [];
  let size = 0;
  const onLate = () => req.destroy(new Error('The body came too slowly.'));
  late.addEventListener('abort', onLate, { once: true });
  try {
    for await (const chunk of req as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BODY) return PROBLEMS.tooLarge;
      chunks.push(chunk);
    }
  } catch {
    return PROBLEMS.tooSlow;
  } finally {
    late.removeEventListener('abort', onLate);
  }
  return Buffer.concat(chunks).toString();
}
