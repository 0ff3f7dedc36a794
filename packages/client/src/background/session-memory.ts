import type { StorageArea } from '../browser-storage.ts';
import { within } from '../within.ts';

const STORAGE_WITHIN_MS = 2_000;

export type SessionMemory = StorageArea;

/**
 * What a worker remembers over its death, in `chrome.storage.session`: help for the next one, never a condition of an
 * answer. So an area that is full or hangs forgets, in a worker's life only, and rejects nothing. The incognito half of
 * a split extension has keys of its own.
 */
export function sessionMemory(area: SessionMemory, isIncognito: boolean): SessionMemory {
  /** What the area did not take. */
  const kept = new Map<string, unknown>();
  const stored = (key: string): string => (isIncognito ? `${key}Incognito` : key);
  const tries = async <T>(step: () => Promise<T>): Promise<T | null> => {
    try {
      return await within(STORAGE_WITHIN_MS, Promise.resolve(step()), null);
    } catch {
      return null;
    }
  };

  const memory = {
    async get(key: string) {
      if (kept.has(key)) return { [key]: structuredClone(kept.get(key)) };
      const items = await tries(() => area.get(stored(key)));
      return items === null ? {} : { [key]: items[stored(key)] };
    },
    async set(items: Record<string, unknown>) {
      for (const [key, value] of Object.entries(items)) {
        const done = await tries(async () => {
          await area.set({ [stored(key)]: value });
          return true;
        });
        if (done === true) kept.delete(key);
        else kept.set(key, structuredClone(value));
      }
    },
    async remove(key: string) {
      kept.delete(key);
      await tries(() => area.remove(stored(key)));
    },
  };
  return memory as SessionMemory;
}
