import { useCallback, useEffect, useState } from 'react';

/** A value in an area of `chrome.storage` that every open page shows alike; `undefined` until it was read. */
export interface StoredValue<T> {
  readonly value: T | null | undefined;
  /** null removes it. */
  readonly store: (next: T | null) => void;
}

/** `parse` turns what is stored into a value or null; give it a stable function. */
export function useStoredValue<T>(
  areaName: 'local' | 'session',
  key: string,
  parse: (stored: unknown) => T | null,
): StoredValue<T> {
  const [value, setValue] = useState<T | null>();

  useEffect(() => {
    let changed = false;
    const onChanged = (changes: Record<string, chrome.storage.StorageChange>, area: string): void => {
      const change = area === areaName ? changes[key] : undefined;
      if (change === undefined) return;
      changed = true;
      setValue(parse(change.newValue));
    };
    chrome.storage.onChanged.addListener(onChanged);
    chrome.storage[areaName].get(key).then((stored) => {
      // A change that was reported meanwhile is newer than what this read saw.
      if (!changed) setValue(parse(stored[key]));
    });
    return () => chrome.storage.onChanged.removeListener(onChanged);
  }, [areaName, key, parse]);

  const store = useCallback(
    (next: T | null) => {
      setValue(next);
      const area = chrome.storage[areaName];
      void (next === null ? area.remove(key) : area.set({ [key]: next }));
    },
    [areaName, key],
  );
  return { value, store };
}
