import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

/** Headers that make the server around the app parse or unpack a body. */
const BODY_HEADERS = ['content-type', 'content-encoding'] as const;
type BodyHeader = (typeof BODY_HEADERS)[number];

const sent = new WeakMap<IncomingMessage, Readonly<Partial<Record<BodyHeader, string>>>>();

/**
 * Makes the server that this function runs in (functions framework, emulator) hand every body over as bytes.
 *
 * That server parses bodies before the app sees the request, and answers what it cannot parse by itself: an
 * HTML page (with a stack trace in the emulator) for malformed JSON, so that a forged webhook body would
 * not even reach the signature check, and it inflates compressed bodies of any size. It offers no option
 * against that. Node announces each request on a diagnostics channel before the server's own handlers run,
 * so the two headers it decides by are put aside here; `sentHeader` still knows them.
 */
export function keepBodyRaw(): void {
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { readonly request: IncomingMessage };
    const kept: Partial<Record<BodyHeader, string>> = {};
    for (const name of BODY_HEADERS) {
      const value = request.headers[name];
      if (value !== undefined) kept[name] = value;
      delete request.headers[name];
    }
    request.headers['content-type'] = 'application/octet-stream';
    sent.set(request, kept);
  });
}

/** A body header as the client sent it, with or without `keepBodyRaw`. */
export function sentHeader(request: IncomingMessage, name: BodyHeader): string | undefined {
  const kept = sent.get(request);
  return kept === undefined ? request.headers[name] : kept[name];
}
