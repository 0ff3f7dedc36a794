import {
  indexedDBLocalPersistence,
  inMemoryPersistence,
  type Persistence,
} from 'firebase/auth/web-extension';

/** Until November 2026 billing used Firebase's app without a name, and its user was stored under this one. */
const FORMER_APP = '[DEFAULT]';

/** What the SDK's own store of users can do, as far as it is needed here. */
export interface UserStore {
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown): Promise<void>;
  remove(key: string): Promise<void>;
}

/** Where the SDK keeps the user of an app. */
export function userKeyOf(apiKey: string, appName: string): string {
  return `firebase:authUser:${apiKey}:${appName}`;
}

/**
 * The stored user. A user whom an earlier version stored is moved once, so that an update signs nobody out. Only the one
 * whom billing's snapshot names: the nameless app is the extension's own now, and its user may be somebody else.
 *
 * @param mirroredUid whose snapshot billing holds; asked only where a move is possible.
 */
export async function readStoredUser(
  store: UserStore,
  apiKey: string,
  appName: string,
  mirroredUid: () => Promise<string | null>,
): Promise<unknown> {
  const key = userKeyOf(apiKey, appName);
  const user = await store.get(key);
  const formerKey = userKeyOf(apiKey, FORMER_APP);
  if ((user !== null && user !== undefined) || formerKey === key) return user;
  const former = await store.get(formerKey);
  if (!isUser(former) || former.uid !== (await mirroredUid())) return null;
  await store.set(key, former);
  await store.remove(formerKey);
  return former;
}

function uidOf(user: unknown): string | null {
  return isUser(user) ? user.uid : null;
}
function isGuest(value: unknown): boolean {
  return isUser(value) && 'isAnonymous' in value && value.isAnonymous === true;
}
function isUser(value: unknown): value is { readonly uid: string } {
  return typeof value === 'object' && value !== null && 'uid' in value && typeof value.uid === 'string';
}

/**
 * The SDK's persistence as its own code sees it (`PersistenceInternal`, the same in firebase 11 to 13). Not a public API:
 * the version inside the package is pinned, and the journeys in a browser hold what is relied on.
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
  /** The stored user as the SDK stores it, asked of the storage and not of the SDK; null when nobody is signed in. */
  peek(): Promise<unknown>;
}

/** Where the user is kept: on the disk, or for the page's life if the browser blocks storage. */
interface Keep {
  readonly where: 'disk' | 'memory';
  /** Whose snapshot billing holds: of this user, what an earlier version stored is taken over. */
  readonly formerOf: () => Promise<string | null>;
}

/**
 * Keeps the user signed in through every failure of the auth service. At each start of a worker the SDK looks the
 * stored user up, and up to firebase 13.0 any answer but a network error deletes it: a 400, 429 or 503 signs the user
 * out for good (firebase-js-sdk#9732, #10438). Since 13.1 only an answer that the user is gone or disabled does. So the
 * SDK starts with nobody, and is then handed the stored user, which costs no call and cannot fail; and it may remove
 * the user only while `permitRemoval` runs.
 */
export function guardPersistence(apiKey: string, appName: string, keep: Keep): GuardedPersistence {
  const userKey = userKeyOf(apiKey, appName);
  const listeners = new Set<KeyListener>();
  let visible = false;
  let removable = false;
  let stored: () => Promise<unknown> = async () => null;
  /** The user whom the SDK has, as far as it was stored. */
  let here: string | null = null;

  const sdkStore = keep.where === 'memory' ? inMemoryPersistence : indexedDBLocalPersistence;
  const SdkStore = sdkStore as unknown as new () => InternalPersistence;
  class GuardedStore extends SdkStore {
    static readonly type = 'LOCAL';
    constructor() {
      super();
      const own = {
        get: (key: string) => super._get(key),
        set: (key: string, value: unknown) => super._set(key, value),
        remove: (key: string) => super._remove(key),
      };
      stored = () => readStoredUser(own, apiKey, appName, keep.formerOf);
    }
    override async _get(key: string): Promise<unknown> {
      if (key !== userKey) return super._get(key);
      const user = visible ? await stored() : null;
      here = uidOf(user);
      return user;
    }
    override async _set(key: string, value: unknown): Promise<void> {
      if (key === userKey) {
        const uid = uidOf(value);
        if (uid === here) {
          const other = await super._get(key);
          // A renewed token of a user whom another tab has signed out meanwhile, or replaced: not brought back.
          if (uidOf(other) !== uid) return;
          // Another tab has made this guest an account: the SDK takes it over.
          if (isGuest(value) && !isGuest(other)) {
            void restore();
            return;
          }
        }
        here = uid;
      }
      await super._set(key, value);
    }
    override async _remove(key: string): Promise<void> {
      if (key !== userKey) return super._remove(key);
      if (!removable) return;
      here = null;
      await super._remove(key);
    }
    // Other tabs are heard of by `restore`, so the base class's polling for other writers (every 800 ms) is left out.
    override _addListener(key: string, listener: KeyListener): void {
      if (key === userKey) listeners.add(listener);
    }
    override _removeListener(_key: string, listener: KeyListener): void {
      listeners.delete(listener);
    }
  }

  async function restore(): Promise<void> {
    visible = true;
    await Promise.all([...listeners].map((listener) => listener(null)));
  }

  return {
    persistence: GuardedStore as unknown as Persistence,
    restore,
    async permitRemoval(signOut) {
      removable = true;
      try {
        await signOut();
      } finally {
        removable = false;
      }
    },
    peek: () => stored(),
  };
}
