import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

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
