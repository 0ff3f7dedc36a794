import type { Catalog } from '@extension-billing/contract/catalog';
import { gateOf } from '@extension-billing/contract/features';
import type { BrowserStorage } from '../../browser-storage.ts';
import { type EntitlementSnapshot, parseSnapshot, SNAPSHOT_KEY } from '../../snapshot/snapshot.ts';

/** That a user has put the wall away, until their balance has risen. */
interface WallDismissal {
  readonly uid: string;
}

export type WallPhase = 'down' | 'raised' | 'dismissed';

/**
 * Whether the top-up wall stands: it rises when a balance is 0, and a dismissal keeps it away.
 * A snapshot without credits has no balance that could run out.
 */
export function wallPhase(
  snapshot: Pick<EntitlementSnapshot, 'uid' | 'credits'> | null,
  dismissal: WallDismissal | null,
): WallPhase {
  if (snapshot === null || snapshot.uid === null || snapshot.credits?.balance !== 0) return 'down';
  return dismissal?.uid === snapshot.uid ? 'dismissed' : 'raised';
}

/** Whether a catalog has features that spend credits, and packs to top them up with: else no wall ever rises. */
export function usesTopUpWall(catalog: Catalog): boolean {
  const features = Object.keys(catalog.features);
  return catalog.packs.length > 0 && features.some((feature) => gateOf(catalog, feature) === 'metered');
}

/**
 * Whether a dismissal has done its work: the balance has risen since, so the next 0 raises the wall again. Another
 * user's dismissal ends too. While signed out or loading nothing is known, and it stays.
 */
export function dismissalHasEnded(
  dismissal: WallDismissal,
  snapshot: Pick<EntitlementSnapshot, 'uid' | 'credits'> | null,
): boolean {
  if (snapshot === null || snapshot.uid === null) return false;
  return dismissal.uid !== snapshot.uid || (snapshot.credits?.balance ?? 0) > 0;
}

/** A stored value as a dismissal, or null where it is none. */
export function parseDismissal(value: unknown): WallDismissal | null {
  if (typeof value !== 'object' || value === null || !('uid' in value)) return null;
  return typeof value.uid === 'string' ? { uid: value.uid } : null;
}

/** Key in `chrome.storage.local`, of the user interface's own: every surface and a reopened popup agree through it. */
export const WALL_KEY = 'billingTopUpWall';

/**
 * Ends a dismissal of the wall as soon as there is a balance again, also while no page is open to see it. Call once
 * at the top level of the background worker: it is the one that writes every balance.
 *
 * @param storage left out: `chrome.storage`
 */
export function forgetDismissalWhenRisen(storage: BrowserStorage = chrome.storage): void {
  storage.onChanged.addListener((changes, area) => {
    const snapshot = area === 'local' ? parseSnapshot(changes[SNAPSHOT_KEY]?.newValue) : null;
    if (snapshot?.credits?.balance) void storage.local.remove(WALL_KEY);
  });
}
