import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import domain, { type Domain } from 'node:domain';
import type { ClientRequest, IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Millis } from '@extension-billing/contract/customer';
import type { Request, Response } from 'express';
import type { Firestore } from 'firebase-admin/firestore';
import type { Logger } from '../log.ts';

// What this service changes inside of its dependencies, where they offer no option: how the functions framework reads
// bodies, ends and wraps requests, and how long clients of others go on. Each says when it can go; a test checks that.

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
export function gracefulShutdown(log: Logger): void {
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
 * (docs/decisions/performance.md). It offers no option against that. Express answers what a route throws or
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

/**
 * Lets the framework's server ask this function's own app directly from the second request on. Before each one, the
 * framework runs an app of its own, which looks for a body that nobody left it and for a route that is always the same:
 * a sixth of what a balance takes of the processor (docs/decisions/performance.md). It offers no option against
 * that.
 *
 * @param first a request that came through the framework
 */
export function serveDirectly(first: Request, res: Partial<Response>, own: RequestListener): void {
  // A mark of the framework alone: other servers (the emulator's) serve more than this function.
  if (res.locals?.functionExecutionFinished === undefined) return;
  const { server } = first.socket as Socket & { readonly server?: Server };
  server?.removeAllListeners('request').on('request', own);
}

/** How long a request over HTTP to anybody may take, whatever its client says. Stripe's own limit is shorter. */
export const REQUEST_MS: Millis = 8_000;

/**
 * Ends requests over HTTP that this process makes and that nobody answers. Firebase's client asks for Google's keys, and
 * Google's for access tokens, without any limit; an account is asked for with 25 s, five times over. They offer no option
 * against that. Node announces each request on a diagnostics channel.
 */
export function boundRequests(within: Millis = REQUEST_MS): void {
  subscribe('http.client.request.start', (message) => {
    const { request } = message as { readonly request: ClientRequest };
    // Not ETIMEDOUT, which Firebase's client asks again for, four times.
    const late = Object.assign(new Error('nobody answered in time'), { code: 'ERR_NOT_ANSWERED' });
    const timer = setTimeout(() => request.destroy(late), within);
    request.once('close', () => clearTimeout(timer));
  });
}

/**
 * How long one call to Firestore may take. A call that hangs when an outage ends is
 * asked again no later than this, and a user waits for two or three calls.
 */
export const CALL_MS: Millis = 4_000;
/**
 * How long a call of a transaction may take. It may wait for another one's locks, which is no outage; and one that is
 * given up leaves a transaction behind that nobody can end, with locks that keep everybody else waiting.
 */
export const TRANSACTION_CALL_MS: Millis = 15_000;
/** The longest pause before a call is sent again. */
const PAUSE_MS: Millis = 250;
/** The longest pause before the client connects again to a Firestore that was not there. */
const RECONNECT_MS: Millis = 1_000;
/**
 * A connection to Firestore that was not checked for so long is checked when a call begins on it, or is under way. gRPC's
 * own clients ask no more often, and servers end the connection of who does.
 */
const CHECK_AFTER_MS: Millis = 10_000;
/** A connection that says nothing to a check for so long is given up, with the calls that wait on it. */
export const CHECK_MS: Millis = 1_500;
/** After this long no further attempt of a read begins: it could take `CALL_MS` itself. What a check ended is read again. */
const RETRY_READS_MS: Millis = CHECK_MS + 500;

/** gRPC's resource exhausted: who is over a quota must not ask more often. */
const OUT_OF_QUOTA = 8;
/** gRPC's "no answer" that may be asked again as it is: deadline exceeded, internal, unavailable. */
const AGAIN: ReadonlySet<unknown> = new Set([4, 13, 14]);

const transactions = new AsyncLocalStorage<true>();

/** Runs the calls of a transaction, which may take longer than others. */
export function asTransaction<Result>(run: () => Promise<Result>): Promise<Result> {
  return transactions.run(true, run);
}

interface Bounds {
  /** For tests: connections are checked sooner. */
  readonly checkAfter?: Millis;
}

/** The two places in which the client decides how long it goes on (9.4: src/index.ts). */
interface ClientInside {
  createCallOptions(method: string, retryCodes?: readonly number[]): object;
  _retry<Result>(method: string, tag: string, call: () => Promise<Result>): Promise<Result>;
}

/**
 * Makes a client whose calls end. By itself it repeats a commit without an answer for up to 600 s, with pauses of up to
 * 60 s, lets a read hang for 300 s three times over, and waits up to 120 s before it connects again: long after an outage of the store
 * was over, users of this instance still waited for it (docs/decisions/firestore.md#retries-end).
 *
 * Cloud Run freezes an instance between requests, and what it was connected to forgets it meanwhile, without a word that
 * would reach it. By itself the client waits on such a connection until the system gives it up, after a quarter of an
 * hour, and each call of that time ends unanswered. So it is checked before it is trusted again
 * (docs/decisions/firestore.md#idle-connections-are-checked).
 *
 * The client has settings for none of the first two, so they are set inside of it.
 * `functions/test/bounded-calls.emulator.test.ts` shows what they do, and patches.test.ts that the client still sets none: then
 * this can go.
 *
 * @param firestore a client that has not been used yet
 * @throws Error where the client is not the one that this was written for
 */
export function boundCalls(firestore: Firestore, { checkAfter = CHECK_AFTER_MS }: Bounds = {}): Firestore {
  const client = firestore as unknown as ClientInside;
  if (typeof client.createCallOptions !== 'function' || typeof client._retry !== 'function') {
    throw new Error('this Firestore client decides elsewhere how long it retries: see platform/patches.ts');
  }
  firestore.settings({
    grpcOptions: {
      'grpc.max_reconnect_backoff_ms': RECONNECT_MS,
      // Never without a call: Google ends the connections of who asks and has nothing to say.
      'grpc.keepalive_time_ms': checkAfter,
      'grpc.keepalive_timeout_ms': CHECK_MS,
    },
  });
  const { createCallOptions } = client;
  client.createCallOptions = (method, retryCodes = []) => {
    const timeout = transactions.getStore() === true ? TRANSACTION_CALL_MS : CALL_MS;
    return {
      ...createCallOptions.call(firestore, method),
      timeout,
      // Of reads, which are streams: three attempts with seconds between them, under the two layers above.
      retryRequestOptions: { retries: 0, noResponseRetries: 0 },
      retry: {
        retryCodes: retryCodes.filter((code) => code !== OUT_OF_QUOTA),
        backoffSettings: { ...BACKOFF, initialRpcTimeoutMillis: timeout, maxRpcTimeoutMillis: timeout },
      },
    };
  };
  client._retry = (_method, _tag, call) => retryRead(call);
  return firestore;
}

const BACKOFF = {
  initialRetryDelayMillis: 50,
  retryDelayMultiplier: 1.5,
  maxRetryDelayMillis: PAUSE_MS,
  rpcTimeoutMultiplier: 1,
  // Calls in all. Only quick failures are repeated: a call that met its deadline is not.
  maxRetries: 4,
};

async function retryRead<Result>(call: () => Promise<Result>): Promise<Result> {
  const begun = performance.now();
  for (let pause = 25; ; pause = Math.min(PAUSE_MS, pause * 2)) {
    try {
      return await call();
    } catch (error) {
      const isOver = performance.now() - begun > RETRY_READS_MS;
      if (isOver || !(error instanceof Error && 'code' in error && AGAIN.has(error.code))) throw error;
    }
    await sleep(Math.random() * pause);
  }
}
