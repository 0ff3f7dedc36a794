import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Millis } from '@extension-billing/contract/customer';
import type { Firestore } from 'firebase-admin/firestore';

/**
 * How long one call to Firestore may take. A call that hangs when an outage ends is
 * asked again no later than this, and a user waits for two or three calls.
 */
export const CALL_MS: Millis = 4_000;
/**
 * How long a call of a transaction may take. It may wait for another one's locks, which is no outage; and one that is
 * given up leaves a transaction behind that nobody can end, with locks that keep everybody else waiting.
 */
const TRANSACTION_CALL_MS: Millis = 15_000;
/** The longest pause before a call is sent again. */
const PAUSE_MS: Millis = 250;
/** The longest pause before the client connects again to a Firestore that was not there. */
const RECONNECT_MS: Millis = 1_000;
/** After this long no further attempt of a read begins: it could take `CALL_MS` itself. */
const RETRY_READS_MS: Millis = 500;

/** gRPC's resource exhausted: whoever is over a quota must not ask more often. */
const OUT_OF_QUOTA = 8;
/** gRPC's "no answer" that may be asked again as it is: deadline exceeded, internal, unavailable. */
const AGAIN: ReadonlySet<unknown> = new Set([4, 13, 14]);

const transactions = new AsyncLocalStorage<true>();

/** Runs the calls of a transaction, which may take longer than others. */
export function asTransaction<Result>(run: () => Promise<Result>): Promise<Result> {
  return transactions.run(true, run);
}

/** The two places in which the client decides how long it goes on (9.4: src/index.ts). */
interface ClientInside {
  createCallOptions(method: string, retryCodes?: readonly number[]): object;
  _retry<Result>(method: string, tag: string, call: () => Promise<Result>): Promise<Result>;
}

/**
 * Makes a client whose calls end. By itself it repeats a commit without an answer for up to 600 s, with pauses of up to
 * 60 s, lets a read hang for 300 s three times over, and waits up to 120 s before it connects again: long after an outage of the store
 * was over, users of this instance still waited for it (docs/decisions/0131-retries-end.md).
 *
 * The client has settings for none of the first two, so they are set inside of it.
 * `functions/test/bounded-calls.emulator.test.ts` shows what they do; this can go when the client takes deadlines.
 *
 * @param firestore a client that has not been used yet
 * @throws Error where the client is not the one that this was written for
 */
export function boundCalls(firestore: Firestore): Firestore {
  const client = firestore as unknown as ClientInside;
  if (typeof client.createCallOptions !== 'function' || typeof client._retry !== 'function') {
    throw new Error('this Firestore client decides elsewhere how long it retries: see bounded-calls.ts');
  }
  firestore.settings({ grpcOptions: { 'grpc.max_reconnect_backoff_ms': RECONNECT_MS } });
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
