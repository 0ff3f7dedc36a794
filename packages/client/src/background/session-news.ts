import type { SessionReply, SessionUser } from '../messages.ts';
import { SESSION_NEWS_KEY } from '../snapshot/place.ts';
import type { SessionMemory } from './session-memory.ts';

/**
 * What every open page is to know at once of who is signed in: pages see the change in `chrome.storage.session`, and say
 * hello. It is also what is known of the user while IndexedDB does not answer. Content scripts cannot read it.
 */
export interface SessionNews {
  tell(session: Pick<SessionReply, 'user' | 'expired'>): void;
  /** What was told last, by this worker or the one before it; null when nothing is known. */
  last(): Promise<Pick<SessionReply, 'user' | 'expired'> | null>;
  /** Whose snapshot is stored. */
  readonly mirroredUid: () => Promise<string | null>;
}

/** @param lastUid whose snapshot is stored, for a browser that has just started */
export function createSessionNews(memory: SessionMemory, lastUid: () => Promise<string | null>): SessionNews {
  let told: string | null = null;
  return {
    mirroredUid: lastUid,
    tell({ user, expired }) {
      const news = JSON.stringify({ user, expired });
      if (news === told) return;
      told = news;
      void memory.set({ [SESSION_NEWS_KEY]: { user, expired } });
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
