import { type EntitlementSnapshot, SNAPSHOT_KEY } from './snapshot.ts';

/** Key in `chrome.storage.session` under which the worker tells its pages that who is signed in has changed. */
export const SESSION_NEWS_KEY = 'billingSession';

/** The parts of `chrome` by which a context knows its half of a split extension. */
export interface BrowserContext {
  readonly extension?: { readonly inIncognitoContext?: boolean | undefined };
  readonly runtime?: { getManifest(): { readonly incognito?: string | undefined } };
}

/** Where a context's snapshot is: `key` in `chrome.storage[areaName]`. */
export interface SnapshotPlace {
  readonly areaName: 'local' | 'session';
  readonly key: string;
}

export const SHARED_PLACE: SnapshotPlace = { areaName: 'local', key: SNAPSHOT_KEY };
/** In memory only: incognito leaves nothing on the disk. Content scripts cannot read this area. */
const INCOGNITO: SnapshotPlace = { areaName: 'session', key: `${SNAPSHOT_KEY}Incognito` };

/**
 * Where this context's snapshot is. An extension that says `incognito: "split"` has two workers with an account each,
 * and `chrome.storage.local` is one for both: the incognito one keeps its own place.
 */
export function snapshotPlace(browser: BrowserContext): SnapshotPlace {
  return isIncognitoWorld(browser) ? INCOGNITO : SHARED_PLACE;
}

/** Whether this context belongs to the incognito half of a split extension; never where one worker serves both. */
export function isIncognitoWorld({ extension, runtime }: BrowserContext): boolean {
  if (extension?.inIncognitoContext !== true) return false;
  return runtime?.getManifest().incognito === 'split';
}

/** Of the snapshot in the spare place and the one in its own, the one that was written last. */
export function newerOf(
  spared: EntitlementSnapshot | null,
  own: EntitlementSnapshot | null,
): EntitlementSnapshot | null {
  if (spared === null || own === null) return spared ?? own;
  return own.mirroredAt > spared.mirroredAt ? own : spared;
}
