import { subscribe } from 'node:diagnostics_channel';
import domain, { type Domain } from 'node:domain';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Logger } from '../log.ts';

/**
 * Makes the server that this function runs in (functions framework, emulator) leave every body unread.
 *
 * That server reads bodies of up to a gigabyte into memory before the app sees the request, inflates compressed ones,
 * and answers what it cannot parse by itself: an HTML page (with a stack trace in the emulator) for malformed JSON, so
 * that a forged webhook body would not even reach the signature check. It offers no option against that. Node announces
 * each request on a diagnostics channel before the server's own handlers run; without the headers that announce a body
 * they find none, and the app reads it as it comes, to its own limit (body.ts).
 */
export function keepBodyRaw(): void {
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { readonly request: IncomingMessage };
    delete request.headers['content-length'];
    delete request.headers['transfer-encoding'];
  });
}

/** Cloud Run kills an instance 10 s after it has sent SIGTERM. */
const WITHIN_MS = 9_000;

/**
 * Ends the process on SIGTERM only when every request that it has begun is answered.
 *
 * The functions framework would end it at once: it answers the latest request with a crash and drops all others, a
 * consume between its commit and its answer too. It offers no option against that, so its listener is removed as
 * soon as it is there.
 */
export function finishRequests(log: Logger): void {
  const open = new Set<ServerResponse>();
  let server: Server | undefined;
  let isEnding = false;

  subscribe('http.server.request.start', (message) => {
    const begun = message as { readonly response: ServerResponse; readonly server: Server };
    server = begun.server;
    open.add(begun.response);
    begun.response.once('close', () => {
      open.delete(begun.response);
      if (isEnding && open.size === 0) process.exit(0);
    });
  });

  const finish = (): void => {
    if (isEnding) return;
    isEnding = true;
    log.info('ending', { open: open.size });
    if (open.size === 0) process.exit(0);
    server?.close();
    setTimeout(() => {
      log.warn('ended_with_open_requests', { open: open.size });
      process.exit(1);
    }, WITHIN_MS).unref();
  };
  process.on('SIGTERM', finish);
  process.on('newListener', (name, listener) => {
    if (name === 'SIGTERM' && listener !== finish) process.nextTick(() => process.off('SIGTERM', listener));
  });
}

/**
 * Lets the server that this function runs in (functions framework) run requests without `node:domain`.
 *
 * It makes a domain for every request, to answer what a stray callback throws. The first one turns on async hooks for
 * every promise of the process, for good, which more than doubled the processor time of a consume
 * (docs/decisions/0048-no-domains.md). It offers no option against that. Express answers what a route throws or
 * rejects with; what nobody catches ends the process, as in any other Node server.
 */
export function runWithoutDomains(): void {
  // Only what the framework calls: `create`, then `on` and `run`.
  const outside = {
    on: () => outside,
    run: (work: (...args: unknown[]) => unknown, ...args: unknown[]) => work(...args),
  };
  domain.create = () => outside as unknown as Domain;
}
