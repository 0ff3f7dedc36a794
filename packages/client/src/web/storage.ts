import type { BrowserStorage, StorageArea, StorageListener } from '../browser-storage.ts';

/** All that billing keeps in a web page's `localStorage` begins like this. */
export const STORAGE_PREFIX = 'extension-billing:';

type AreaName = 'local' | 'session';

/**
 * `chrome.storage` over the page's `localStorage`, which all tabs of an origin share and hear changes of. Both areas are
 * kept there: what an extension keeps in the memory of a session every tab has to find, and a web page has no such
 * memory beyond one tab (docs/decisions/0295-a-web-page.md). A browser that gives no storage rejects, as a full one does.
 *
 * @param area asked for at each use: the getter itself throws where the browser forbids storage
 * @param project id of the Firebase project: apps of two of them may be at one origin, and have users of their own
 */
export function createWebStorage(
  area: () => Storage,
  page: Pick<Window, 'addEventListener'>,
  project: string,
): BrowserStorage {
  const listeners = new Set<StorageListener>();
  const prefix = `${STORAGE_PREFIX}${project}:`;

  const tell = (areaName: AreaName, key: string, oldText: string | null, newText: string | null): void => {
    if (oldText === newText) return;
    const change = {
      ...(oldText === null ? {} : { oldValue: parse(oldText) }),
      ...(newText === null ? {} : { newValue: parse(newText) }),
    };
    for (const listener of listeners) listener({ [key]: change }, areaName);
  };

  const areaOf = (areaName: AreaName): StorageArea => {
    const stored = (key: string): string => `${prefix}${areaName}:${key}`;
    const replace = (key: string, text: string | null): void => {
      const before = area().getItem(stored(key));
      if (text === null) area().removeItem(stored(key));
      else area().setItem(stored(key), text);
      // The browser tells the other tabs; this one hears it as late as they do.
      queueMicrotask(() => tell(areaName, key, before, text));
    };
    return {
      async get(key) {
        const text = area().getItem(stored(key));
        return text === null ? {} : { [key]: parse(text) };
      },
      async set(items) {
        for (const [key, value] of Object.entries(items)) replace(key, JSON.stringify(value));
      },
      async remove(key) {
        replace(key, null);
      },
    };
  };

  page.addEventListener('storage', ({ key, oldValue, newValue, storageArea }) => {
    if (key?.startsWith(prefix) !== true || storageArea !== area()) return;
    const [, areaName, name] = /^(local|session):(.+)$/s.exec(key.slice(prefix.length)) ?? [];
    if (name === undefined) return;
    tell(areaName as AreaName, name, oldValue, newValue);
  });

  return {
    local: areaOf('local'),
    session: areaOf('session'),
    onChanged: {
      addListener: (listener) => void listeners.add(listener),
      removeListener: (listener) => void listeners.delete(listener),
    },
  };
}

/** The same storage for who writes only while `isOpen` says so: a tab that no longer leads must change nothing. */
export function whileOpen(storage: BrowserStorage, isOpen: () => boolean): BrowserStorage {
  const guarded = (area: StorageArea): StorageArea => ({
    get: (key) => area.get(key),
    set: async (items) => (isOpen() ? area.set(items) : undefined),
    remove: async (key) => (isOpen() ? area.remove(key) : undefined),
  });
  return {
    local: guarded(storage.local),
    session: guarded(storage.session),
    onChanged: storage.onChanged,
  };
}

/** What somebody else wrote there counts as nothing. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
