import type { StorageArea } from '../browser-storage.ts';
import { LINK_LIVES_MS, type PendingLink, SIGN_IN_LINK_KEY } from '../snapshot/pending-link.ts';

/**
 * Whom a link was mailed to, from this browser. A link signs in nobody else: one that somebody else asked for, and leads
 * a victim's browser to, is for another address, and the auth service refuses it.
 */
export interface PendingLinks {
  asked(link: Pick<PendingLink, 'email' | 'leaveGuest'>): Promise<void>;
  /** Why the link that came was not taken: pages show it. */
  refused(code: string): Promise<void>;
  /** null: none was asked for here, or so long ago that its link has ended; then pages show none either. */
  pending(): Promise<PendingLink | null>;
  /** A link has signed in this user. */
  used(link: string, uid: string): Promise<void>;
  /** Whom this link has signed in; null if it hasn't been the last one to sign anybody in. */
  usedBy(link: string): Promise<string | null>;
  forget(): Promise<void>;
}

/** Key in `chrome.storage.session`: the link that signed in last. People click a link twice. */
const USED_LINK_KEY = 'billingUsedLink';

/** @param area of this browser's memory, which content scripts cannot read */
export function createPendingLinks(area: StorageArea, now: () => number): PendingLinks {
  const pending = async (): Promise<PendingLink | null> => {
    const stored = parsePendingLink((await area.get(SIGN_IN_LINK_KEY))[SIGN_IN_LINK_KEY]);
    if (stored === null || now() - stored.askedAt <= LINK_LIVES_MS) return stored;
    await area.remove(SIGN_IN_LINK_KEY);
    return null;
  };
  const keep = (link: PendingLink): Promise<void> => area.set({ [SIGN_IN_LINK_KEY]: link });
  return {
    pending,
    asked: ({ email, leaveGuest }) => keep({ email, leaveGuest, askedAt: now() }),
    async refused(code) {
      const link = await pending();
      if (link !== null) await keep({ ...link, refused: code });
    },
    used: (link, uid) => area.set({ [USED_LINK_KEY]: { link, uid } }),
    async usedBy(link) {
      const stored: unknown = (await area.get(USED_LINK_KEY))[USED_LINK_KEY];
      if (typeof stored !== 'object' || stored === null || !('link' in stored) || !('uid' in stored))
        return null;
      return stored.link === link && typeof stored.uid === 'string' ? stored.uid : null;
    },
    async forget() {
      await area.remove(SIGN_IN_LINK_KEY);
      await area.remove(USED_LINK_KEY);
    },
  };
}

function parsePendingLink(stored: unknown): PendingLink | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const { email, leaveGuest, askedAt, refused } = stored as Partial<Record<keyof PendingLink, unknown>>;
  if (typeof email !== 'string' || typeof askedAt !== 'number') return null;
  return {
    email,
    askedAt,
    leaveGuest: leaveGuest === true,
    ...(typeof refused === 'string' && { refused }),
  };
}
