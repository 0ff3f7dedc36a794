import type { AppDeps } from '../../src/deps.ts';
import { parseUid, type Uid } from '../../src/domain/uid.ts';
import { Unavailable } from '../../src/http/answer.ts';
import { handleEvent } from '../../src/http/handle-event.ts';
import { commitConsume } from '../../src/store/commit-consume.ts';
import type { Crash } from './delivery.ts';
import { MemoryFirestore } from './memory-firestore.ts';
import type { ModelStripe } from './model-stripe.ts';
import { entryOf, recordOf } from './read-state.ts';
import type { Consumed, DelayableService, Delivered, State } from './service.ts';

/** The end of the process: nothing catches it, as nothing can. */
class Killed extends Error {}

/** Firestore is unavailable, in gRPC's words. */
class Outage extends Error {
  readonly code = 14;
}

/**
 * The service's own code, from a delivered event to the stored documents and the claim, on a Firestore in
 * memory. It can be killed at any call: the next arrival is then handled by a new process on the same data.
 */
export function memoryService(
  stripe: ModelStripe,
  database = new MemoryFirestore(),
  now = (): number => Date.UTC(2026, 10, 1),
): DelayableService {
  const claims = new Map<string, { readonly paid?: boolean }>();
  let crash: Crash | null = null;
  let calls = 0;
  let wait = async (): Promise<void> => {};
  let deps = newProcess();

  function newProcess(): AppDeps {
    return {
      firestore: database.connect(),
      auth: {
        getUser: (uid: string) => call(() => ({ uid, customClaims: claims.get(uid) })),
        setCustomUserClaims: (uid: string, after: object) => call(() => void claims.set(uid, after)),
        verifyIdToken: () => Promise.reject(new Error('the model signs nobody in')),
      } as unknown as AppDeps['auth'],
      stripe: stripe.stripe,
      now,
      log: { info() {}, warn() {}, error() {} },
      config: undefined as never,
    };
  }

  database.around = {
    before: async () => {
      endIf('before');
      await wait();
    },
    after: async () => {
      await wait();
      endIf('after');
      calls += 1;
    },
  };

  async function call<Result>(run: () => Result): Promise<Result> {
    endIf('before');
    const result = run();
    endIf('after');
    calls += 1;
    return result;
  }

  function endIf(when: Crash['when']): void {
    if (crash === null || crash.call !== calls || crash.when !== when) return;
    const { how } = crash;
    crash = null;
    throw how === 'kill' ? new Killed() : new Outage();
  }

  /** A failure of the handler is a 500; a kill also takes the process with it. */
  function survive(error: unknown): void {
    if (error instanceof Killed) deps = newProcess();
    else if (!isOutage(error)) throw error;
  }

  return {
    crashAt(next) {
      crash = next;
      calls = 0;
    },

    delayBy(given) {
      wait = given;
    },

    async deliver(event): Promise<Delivered> {
      try {
        return (await handleEvent(deps, event)).outcome;
      } catch (error) {
        if (error instanceof Unavailable) return 'retry';
        survive(error);
        return 'crashed';
      }
    },

    async consume(uid, key, feature, cost): Promise<Consumed | null> {
      try {
        return await consumeOnce(checkedUid(uid), key, feature, cost);
      } catch (error) {
        survive(error);
        return null;
      }
    },

    state: async (uid): Promise<State> => storedIn(database, uid),
    isMarked: async (eventId) => database.documents.has(`billing_events/${eventId}`),
    paidClaim: async (uid) => claims.get(uid)?.paid,
  };

  async function consumeOnce(uid: Uid, key: string, feature: string, cost: number): Promise<Consumed> {
    const decision = await commitConsume(deps.firestore, uid, { key, feature, cost }, deps.now());
    switch (decision.kind) {
      case 'free':
        return { outcome: 'free', replayed: false, balance: null };
      case 'granted':
      case 'exhausted':
      case 'replayed': {
        const { outcome, allowance, packCredits } = decision.entry;
        return { outcome, replayed: decision.kind === 'replayed', balance: allowance + packCredits };
      }
      case 'key_reused':
        throw new Error('the model uses a key for one feature only');
      default:
        return decision satisfies never;
    }
  }
}

/** What a handler answers with a 500: an outage, or a document that others kept writing to. */
function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isFromFirestore = 'code' in error && (error.code === 10 || error.code === 14);
  return isFromFirestore || isOutage(error.cause);
}

/** Reads past the service, and past whatever is done to its calls. */
function storedIn(database: MemoryFirestore, uid: string): State {
  const record = database.documents.get(`customers/${uid}`)?.data;
  const prefix = `customers/${uid}/credit_ledger/`;
  const entries = [...database.documents].filter(([path]) => path.startsWith(prefix));
  return {
    record: record === undefined ? null : recordOf(record),
    ledger: new Map(entries.map(([path, { data }]) => [path.slice(prefix.length), entryOf(data)])),
  };
}

function checkedUid(text: string): Uid {
  const uid = parseUid(text);
  if (uid === null) throw new Error(`${text} is no uid`);
  return uid;
}
