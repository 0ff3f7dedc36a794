import { subscribe } from 'node:diagnostics_channel';
import type { Server, ServerResponse } from 'node:http';
import type { Logger } from '../log.ts';

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
