import type { StorageArea } from '../browser-storage.ts';

/** Key beside the snapshot: the uid whose sign-out has begun and isn't finished. */
const SIGNING_OUT_KEY = 'billingSigningOut';

/**
 * The login is in Firebase's database and the snapshot in `chrome.storage`, and a worker can die between two writes. The
 * mark is written before either changes, so that the next worker finishes the sign-out.
 */
export interface SignOutMark {
  set(uid: string): Promise<void>;
  uid(): Promise<string | null>;
  clear(): Promise<void>;
}

/** @param area survives the browser's restart, as the login does */
export function createSignOutMark(area: StorageArea): SignOutMark {
  return {
    set: (uid) => area.set({ [SIGNING_OUT_KEY]: uid }),
    async uid() {
      const stored = (await area.get(SIGNING_OUT_KEY))[SIGNING_OUT_KEY];
      return typeof stored === 'string' ? stored : null;
    },
    clear: () => area.remove(SIGNING_OUT_KEY),
  };
}
