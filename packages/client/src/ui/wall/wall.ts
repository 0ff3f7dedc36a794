import type { Catalog } from '@extension-billing/contract/catalog';
import { gateOf } from '@extension-billing/contract/features';
import type { BrowserStorage, StorageArea } from '../../browser-storage.ts';
import { type EntitlementSnapshot, parseSnapshot, SNAPSHOT_KEY } from '../../snapshot/snapshot.ts';

/** What a user last did about the wall: dismissed it, or asked for something that their credits did not cover. */
export interface StoredWall {
  readonly uid: string;
  /** Set if a spend was refused with a 402; without it the wall was dismissed. */
  readonly refused?: RefusedSpend;
}

interface RefusedSpend {
  readonly feature: string;
  /** What was left when it was refused. */
  readonly balance: number;
}

export type WallPhase = 'down' | 'raised' | 'dismissed';

type Balanced = Pick<EntitlementSnapshot, 'uid' | 'credits'>;
const balanceOf = ({ credits }: Balanced): number => credits?.balance ?? 0;

/**
 * Whether the top-up wall stands. It rises when a balance is 0, and a dismissal keeps it away; it rises again, at any
 * balance, when a spend is refused.
 */
export function wallPhase(snapshot: Balanced | null, stored: StoredWall | null): WallPhase {
  if (snapshot === null || snapshot.uid === null) return 'down';
  const own = stored?.uid === snapshot.uid ? stored : null;
  if (own?.refused !== undefined && !storedWallHasEnded(own, snapshot)) return 'raised';
  if (snapshot.credits?.balance !== 0) return 'down';
  return own === null ? 'raised' : 'dismissed';
}

/** Whether a catalogue has features that spend credits, and sells credits: otherwise no wall rises. */
export function usesTopUpWall({ features, ...catalog }: Catalog): boolean {
  const sells = catalog.packs.length > 0 || catalog.plans.some(({ credits }) => credits !== null);
  return sells && Object.keys(features).some((name) => gateOf({ features, ...catalog }, name) === 'metered');
}

/**
 * Whether what is stored is out of date: the balance has risen since, or another user is signed in. While signed out or loading
 * nothing is known, and it stays.
 */
export function storedWallHasEnded(stored: StoredWall, snapshot: Balanced | null): boolean {
  if (snapshot === null || snapshot.uid === null) return false;
  return stored.uid !== snapshot.uid || balanceOf(snapshot) > (stored.refused?.balance ?? 0);
}

/**
 * What is stored after a new balance; null once it has ended. A refusal follows the balance down, so that the next rise
 * ends it also after other features have spent more than that brings.
 */
export function followBalance(stored: StoredWall, snapshot: Balanced | null): StoredWall | null {
  if (storedWallHasEnded(stored, snapshot)) return null;
  if (snapshot === null || snapshot.uid === null || stored.refused === undefined) return stored;
  const balance = balanceOf(snapshot);
  if (balance === stored.refused.balance) return stored;
  return { ...stored, refused: { ...stored.refused, balance } };
}

/** What a dismissal leaves behind: at 0 the wall would be up again without it. */
export function dismissed(snapshot: Balanced | null): StoredWall | null {
  return snapshot?.uid && snapshot.credits?.balance === 0 ? { uid: snapshot.uid } : null;
}

/** A stored value, or null if it is none. */
export function parseStoredWall(value: unknown): StoredWall | null {
  if (typeof value !== 'object' || value === null || !('uid' in value)) return null;
  if (typeof value.uid !== 'string') return null;
  const { feature, balance }: Partial<Record<keyof RefusedSpend, unknown>> =
    'refused' in value && typeof value.refused === 'object' ? { ...value.refused } : {};
  const isRefused = typeof feature === 'string' && typeof balance === 'number';
  return { uid: value.uid, ...(isRefused && { refused: { feature, balance } }) };
}

/** Key in `chrome.storage.local`, of the user interface's own: every surface and a reopened popup agree through it. */
export const WALL_KEY = 'billingTopUpWall';

/**
 * Forgets that the wall was dismissed, or what it rose for, as soon as the balance rises, also while no page is open.
 * Call once at the top level of the background worker: it is the one that writes every balance.
 *
 * @param storage left out: `chrome.storage`
 */
export function forgetDismissalWhenRisen({ onChanged, local }: BrowserStorage = chrome.storage): void {
  const forget = async (): Promise<void> => {
    const stored = parseStoredWall((await local.get(WALL_KEY))[WALL_KEY]);
    if (stored === null) return;
    const { [SNAPSHOT_KEY]: snapshot } = await local.get(SNAPSHOT_KEY);
    const next = followBalance(stored, parseSnapshot(snapshot));
    if (next === null) await local.remove(WALL_KEY);
    else if (next !== stored) await local.set({ [WALL_KEY]: next });
  };
  onChanged.addListener((changes, area) => {
    if (area === 'local' && SNAPSHOT_KEY in changes) forget().catch(() => {}); // a page does the same when it opens
  });
}

/**
 * Passes a spend on, and raises the wall in every page if it is refused with a 402: the user just asked for something
 * that they can't pay for.
 */
export function raisesWall<Request extends { readonly feature: string }, Result extends SpendResult>(
  { uid, local }: { readonly uid: () => Promise<string | null>; readonly local: Pick<StorageArea, 'set'> },
  spend: (request: Request) => Promise<Result>,
): (request: Request) => Promise<Result> {
  return async (request) => {
    const asked = uid();
    const result = await spend(request);
    const asking = await asked;
    if (asking !== null && !result.ok && result.reason === 'exhausted') {
      const refused = { feature: request.feature, balance: result.balance ?? 0 };
      const stored: StoredWall = { uid: asking, refused };
      // A wall that does not rise takes nothing from the answer.
      await local.set({ [WALL_KEY]: stored }).catch(() => {});
    }
    return result;
  };
}

type SpendResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: string; readonly balance: number | null };
