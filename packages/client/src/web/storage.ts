import type { BrowserStorage, StorageArea, StorageListener } from '../browser-storage.ts';
import { type EntitlementSnapshot, parseSnapshot, SNAPSHOT_KEY } from '../snapshot/snapshot.ts';

/** Prefix of all keys of billing's in a web page's storage. */
export const STORAGE_PREFIX = 'extension-billing:';

/** The page's own storages, each asked for at each use: the getter itself throws if the browser blocks site data. */
export interface PageStorages {
  /** Shared by all tabs of the origin. */
  readonly local: () => Storage;
  /** Of this tab, kept over a reload. */
  readonly session: () => Storage;
}

export interface WebStorage extends BrowserStorage {
  /** False if the browser blocks site data: then everything lasts as long as the page. */
  readonly isKept: boolean;
  /** The user whose snapshot this tab shows; null: none. */
  shownUid(): string | null;
  /** The host named this tab's user: no other user's snapshot is shown, also before anything serves the page. */
  showOnly(uid: string | null): void;
  /** Calls the listener with the snapshot that another tab has written; null if it has removed it. */
  onOtherTab(listener: (snapshot: EntitlementSnapshot | null) => void): void;
}

/**
 * `chrome.storage` over what a web page has: `local` is its `localStorage`, `session` its `sessionStorage`. This tab's
 * memory comes first, so a storage that is full or blocked costs only what the next page would have found.
 *
 * Several tabs write the same snapshot, and one may have been frozen for long: an older state of the same user is not
 * written over a newer one of another tab. What another tab writes there does not show in this one by itself, which may
 * have another user: `onOtherTab` hears it.
 *
 * @param project id of the Firebase project: apps of two projects may share an origin, and have users of their own
 */
export function createWebStorage(
  storages: PageStorages,
  page: Pick<Window, 'addEventListener'>,
  project: string,
): WebStorage {
  const listeners = new Set<StorageListener>();
  const otherTab: ((snapshot: EntitlementSnapshot | null) => void)[] = [];
  const prefix = `${STORAGE_PREFIX}${project}:`;
  const local = createArea('local', storages.local);
  const session = createArea('session', storages.session);

  function createArea(areaName: 'local' | 'session', disk: () => Storage) {
    /** The text of each key that was read or written here; null: there is none. */
    const known = new Map<string, string | null>();
    const stored = (key: string): string => `${prefix}${areaName}:${key}`;
    /** What each key had on the disk when this tab last looked or wrote. */
    const seen = new Map<string, string | null>();
    const onDisk = (key: string): string | null => attempt(() => disk().getItem(stored(key)), null);
    /** Looks at the disk. Returns whether it has changed since the last look. */
    const sees = (key: string): boolean => {
      const [before, now] = [seen.get(key), onDisk(key)];
      seen.set(key, now);
      return before !== undefined && before !== now;
    };
    const read = (key: string): string | null => {
      const text = known.get(key);
      if (text !== undefined) return text;
      const found = onDisk(key);
      known.set(key, found);
      seen.set(key, found);
      return found;
    };
    const tell = (key: string, oldText: string | null, newText: string | null): void => {
      if (oldText === newText) return;
      const change = {
        ...(oldText === null ? {} : { oldValue: parse(oldText) }),
        ...(newText === null ? {} : { newValue: parse(newText) }),
      };
      for (const listener of listeners) listener({ [key]: change }, areaName);
    };
    const replace = (key: string, text: string | null): void => {
      const before = read(key);
      const isOld = key === SNAPSHOT_KEY && isOlder(text, before, onDisk(key));
      known.set(key, text);
      if (!isOld) {
        attempt(() => {
          if (text === null) disk().removeItem(stored(key));
          else disk().setItem(stored(key), text);
        }, undefined);
        sees(key);
      }
      // As late as the browser tells the other tabs.
      queueMicrotask(() => tell(key, before, text));
    };
    const area: StorageArea = {
      async get(key) {
        const text = read(key);
        return text === null ? {} : { [key]: parse(text) };
      },
      async set(items) {
        for (const [key, value] of Object.entries(items)) replace(key, JSON.stringify(value));
      },
      async remove(key) {
        replace(key, null);
      },
    };
    return {
      ...{ area, read, onDisk, sees },
      /** Another tab has written this. */
      hear(key: string, text: string | null): void {
        const before = read(key);
        known.set(key, text);
        tell(key, before, text);
      },
    };
  }

  /** Undefined: no host has named this tab's user. */
  let only: string | null | undefined;
  const shownUid = (): string | null => parseSnapshot(parse(local.read(SNAPSHOT_KEY) ?? 'null'))?.uid ?? null;

  function hearSnapshot(text: string | null): void {
    const snapshot = text === null ? null : parseSnapshot(parse(text));
    for (const listener of otherTab) listener(snapshot);
    // Nothing serves this page yet: it shows what it would find if it were opened now.
    const isTheirs = only === undefined || only === (snapshot?.uid ?? null);
    if (otherTab.length === 0 && isTheirs) local.hear(SNAPSHOT_KEY, text);
  }
  page.addEventListener('storage', ({ key, newValue, storageArea }) => {
    const ours = `${prefix}local:`;
    if (key?.startsWith(ours) !== true || storageArea !== attempt(storages.local, null)) return;
    const name = key.slice(ours.length);
    if (name !== SNAPSHOT_KEY) return local.hear(name, newValue);
    local.sees(SNAPSHOT_KEY);
    hearSnapshot(newValue);
  });
  // A page in the back-forward cache isn't told of changes.
  const lookAgain = (): void => {
    if (local.sees(SNAPSHOT_KEY)) hearSnapshot(local.onDisk(SNAPSHOT_KEY));
  };
  for (const event of ['pageshow', 'focus']) page.addEventListener(event, lookAgain);

  return {
    local: local.area,
    session: session.area,
    isKept: attempt(() => storages.local().length >= 0, false),
    shownUid,
    showOnly(uid) {
      only = uid;
      // What serves this page does it otherwise, and says what is shown instead.
      if (otherTab.length === 0 && shownUid() !== uid) void local.area.remove(SNAPSHOT_KEY);
    },
    onOtherTab: (listener) => void otherTab.push(listener),
    onChanged: {
      addListener: (listener) => void listeners.add(listener),
      removeListener: (listener) => void listeners.delete(listener),
    },
  };
}

/**
 * Whether `next` is an older state of the same user than what another tab has written since this one last looked. An
 * `updatedAt` of 0 says that the record is gone, and is believed.
 */
function isOlder(next: string | null, before: string | null, stored: string | null): boolean {
  if (next === null || stored === null || stored === before) return false;
  const [mine, others] = [parseSnapshot(parse(next)), parseSnapshot(parse(stored))];
  if (mine === null || mine.updatedAt === 0 || mine.uid !== others?.uid) return false;
  return mine.updatedAt < others.updatedAt;
}

/** Anything that can't be parsed counts as missing: another script may have written it. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function attempt<T>(step: () => T, otherwise: T): T {
  try {
    return step();
  } catch {
    return otherwise;
  }
}
