import { indexedDBLocalPersistence, type Persistence } from 'firebase/auth/web-extension';
import type { SessionUser } from '../messages.ts';
import { readStoredUser, userKeyOf } from './former-user.ts';
import { sessionUserOf } from './session-news.ts';

/**
 * The SDK's persistence as its own code sees it (`PersistenceInternal`, the same in firebase 11 to 13). Not a public API:
 * `npm run test:adopters` holds what is relied on with each of these versions, in a browser.
 */
interface InternalPersistence {
  _get(key: string): Promise<unknown>;
  _set(key: string, value: unknown): Promise<void>;
  _remove(key: string): Promise<void>;
  _addListener(key: string, listener: KeyListener): void;
  _removeListener(key: string, listener: KeyListener): void;
}
type KeyListener = (value: unknown) => unknown;

export interface GuardedPersistence {
  /** Give it to `initializeAuth`. */
  readonly persistence: Persistence;
  /** Shows the stored user to the SDK, by the door through which it follows other tabs: without a network call. */
  restore(): Promise<void>;
  /** Runs an explicit sign-out: the only time at which the stored user may be removed. */
  permitRemoval(signOut: () => Promise<void>): Promise<void>;
  /** The stored user, asked of the storage and not of the SDK; null when nobody is signed in. */
  peek(): Promise<SessionUser | null>;
}

/**
 * Keeps the user signed in through every failure of the auth service. At each start of a worker the SDK looks the
 * stored user up and, at any answer but a network error, deletes it: a 400, 429 or 503 signs the user out for good
 * (firebase-js-sdk#9732). So the SDK starts with nobody, and is then handed the stored user, which costs no call and
 * cannot fail; and it may remove the user only while `permitRemoval` runs.
 */
export function guardPersistence(
  apiKey: string,
  appName: string,
  mirroredUid: () => Promise<string | null>,
): GuardedPersistence {
  const userKey = userKeyOf(apiKey, appName);
  const listeners = new Set<KeyListener>();
  let visible = false;
  let removable = false;
  let stored: () => Promise<unknown> = async () => null;

  const IndexedDb = indexedDBLocalPersistence as unknown as new () => InternalPersistence;
  class GuardedIndexedDb extends IndexedDb {
    static readonly type = 'LOCAL';
    constructor() {
      super();
      const store = {
        get: (key: string) => super._get(key),
        set: (key: string, value: unknown) => super._set(key, value),
        remove: (key: string) => super._remove(key),
      };
      stored = () => readStoredUser(store, apiKey, appName, mirroredUid);
    }
    override async _get(key: string): Promise<unknown> {
      if (key !== userKey) return super._get(key);
      return visible ? stored() : null;
    }
    override async _remove(key: string): Promise<void> {
      if (key !== userKey || removable) await super._remove(key);
    }
    // Only this worker uses the store, so the base class's polling for other writers (every 800 ms) is left out.
    override _addListener(key: string, listener: KeyListener): void {
      if (key === userKey) listeners.add(listener);
    }
    override _removeListener(_key: string, listener: KeyListener): void {
      listeners.delete(listener);
    }
  }

  return {
    persistence: GuardedIndexedDb as unknown as Persistence,
    async restore() {
      visible = true;
      await Promise.all([...listeners].map((listener) => listener(null)));
    },
    async permitRemoval(signOut) {
      removable = true;
      try {
        await signOut();
      } finally {
        removable = false;
      }
    },
    peek: async () => sessionUserOf(await stored()),
  };
}
