import type { StorageArea } from '../browser-storage.ts';
import type { SessionReply, SessionUser } from '../messages.ts';
import { within } from '../promises.ts';
import { SESSION_NEWS_KEY } from '../snapshot/snapshot.ts';

const STORAGE_WITHIN_MS = 2_000;

type SessionMemory = StorageArea;

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

/**
 * What every open page is to know at once of who is signed in: pages see the change in `chrome.storage.session`, and say
 * hello. It is also what is known of the user while IndexedDB does not answer. Content scripts cannot read it.
 */
export interface SessionNews {
  tell(session: Pick<SessionReply, 'user' | 'expired' | 'host'>): void;
  /** What was published last, by this worker or the one before it; null when nothing is known. */
  last(): Promise<Pick<SessionReply, 'user' | 'expired'> | null>;
  /** Whose snapshot is stored. */
  readonly mirroredUid: () => Promise<string | null>;
}

/** @param lastUid whose snapshot is stored, for a browser that has just started */
export function createSessionNews(memory: SessionMemory, lastUid: () => Promise<string | null>): SessionNews {
  let published: string | null = null;
  return {
    mirroredUid: lastUid,
    tell({ user, expired, host }) {
      const news = { user, expired, ...(host && { host }) };
      const text = JSON.stringify(news);
      if (text === published) return;
      published = text;
      void memory.set({ [SESSION_NEWS_KEY]: news });
    },
    async last() {
      const stored = parseNews((await memory.get(SESSION_NEWS_KEY))[SESSION_NEWS_KEY]);
      if (stored !== null) return stored;
      const uid = await lastUid();
      if (uid === null) return null;
      return { user: { uid, email: null, displayName: null, isAnonymous: false }, expired: false };
    },
  };
}

function parseNews(value: unknown): Pick<SessionReply, 'user' | 'expired'> | null {
  if (typeof value !== 'object' || value === null || !('user' in value)) return null;
  const user = sessionUserOf(value.user);
  if (user === null && value.user !== null) return null;
  return { user, expired: 'expired' in value && value.expired === true };
}

/** A stored user, of whichever version, without what is nobody's business here; null where it is none. */
export function sessionUserOf(value: unknown): SessionUser | null {
  if (typeof value !== 'object' || value === null) return null;
  const { uid, email, displayName, isAnonymous } = value as Partial<Record<keyof SessionUser, unknown>>;
  if (typeof uid !== 'string') return null;
  return {
    uid,
    email: typeof email === 'string' ? email : null,
    displayName: typeof displayName === 'string' ? displayName : null,
    isAnonymous: isAnonymous === true,
  };
}
