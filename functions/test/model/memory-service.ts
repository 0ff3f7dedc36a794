import type { AppDeps } from '../../src/deps.ts';
import { parseUid, type Uid } from '../../src/domain/uid.ts';
import { Unavailable } from '../../src/http/answer.ts';
import { handleEvent } from '../../src/http/handle-event.ts';
import { commitConsume } from '../../src/store/commit-consume.ts';
import { MemoryFirestore } from './memory-firestore.ts';
import type { ModelStripe } from './model-stripe.ts';
import { entryOf, recordOf } from './read-state.ts';
import type { Consumed, Delivered, Service, State } from './service.ts';

/** The service's own code, from a translated event to the stored documents, on a Firestore in memory. */
export function memoryService(stripe: ModelStripe, database = new MemoryFirestore()): Service {
  const deps = {
    firestore: database.firestore,
    auth: memoryAuth(),
    stripe: stripe.stripe,
    now: () => Date.UTC(2026, 10, 1),
    log: { info() {}, warn() {}, error() {} },
  };
  return {
    async deliver(event): Promise<Delivered> {
      try {
        return (await handleEvent(deps, event)).outcome;
      } catch (error) {
        if (error instanceof Unavailable) return 'retry';
        throw error;
      }
    },

    async consume(uid, key, feature, cost): Promise<Consumed> {
      const decision = await commitConsume(
        deps.firestore,
        checkedUid(uid),
        { key, feature, cost },
        deps.now(),
      );
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
    },

    state: async (uid): Promise<State> => storedIn(database, uid),
  };
}

/** Reads past the service, and past whatever is done to its calls. */
export function storedIn(database: MemoryFirestore, uid: string): State {
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

function memoryAuth(): AppDeps['auth'] {
  const claims = new Map<string, object>();
  return {
    getUser: async (uid: string) => ({ uid, customClaims: claims.get(uid) }),
    setCustomUserClaims: async (uid: string, after: object) => void claims.set(uid, after),
    verifyIdToken: () => Promise.reject(new Error('the model signs nobody in')),
  } as unknown as AppDeps['auth'];
}
