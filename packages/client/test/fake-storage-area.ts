type Items = Record<string, unknown>;
type Changes = Record<string, chrome.storage.StorageChange>;

/** A `chrome.storage` area in memory: values are copied in and out, as the browser does. */
export interface FakeStorageArea {
  get(key: string): Promise<Items>;
  set(items: Items): Promise<void>;
  remove(key: string): Promise<void>;
}

export interface FakeStorage {
  readonly area: FakeStorageArea & chrome.storage.StorageArea;
  readonly storage: typeof chrome.storage;
  /** What is stored now. */
  peek(key: string): unknown;
}

export function fakeStorage(initial: Items = {}, areaName: 'local' | 'session' = 'local'): FakeStorage {
  const items = new Map<string, unknown>(Object.entries(structuredClone(initial)));
  const listeners = new Set<(changes: Changes, area: string) => void>();
  const report = (changes: Changes): void => {
    for (const listener of listeners) listener(changes, areaName);
  };
  const area: FakeStorageArea = {
    get: async (key) => (items.has(key) ? { [key]: structuredClone(items.get(key)) } : {}),
    async set(next) {
      const changes: Changes = {};
      for (const [key, value] of Object.entries(next)) {
        changes[key] = { oldValue: items.get(key), newValue: structuredClone(value) };
        items.set(key, structuredClone(value));
      }
      report(changes);
    },
    async remove(key) {
      const oldValue = items.get(key);
      if (items.delete(key)) report({ [key]: { oldValue } });
    },
  };
  const onChanged = {
    addListener: (listener: (changes: Changes, area: string) => void) => listeners.add(listener),
  };
  return {
    area: area as FakeStorage['area'],
    storage: { [areaName]: area, onChanged } as unknown as typeof chrome.storage,
    peek: (key) => items.get(key),
  };
}
