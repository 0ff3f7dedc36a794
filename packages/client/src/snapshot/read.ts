import { askBackground } from '../ask-background.ts';
import type { BrowserStorage } from '../browser-storage.ts';
import { pageBrowser } from '../page-browser.ts';
import { accessView } from './access.ts';
import { showUser } from './shown-user.ts';
import {
  type EntitlementSnapshot,
  newerOf,
  parseSnapshot,
  SHARED_PLACE,
  type SnapshotPlace,
  snapshotPlace,
} from './snapshot.ts';

export type SnapshotListener = (snapshot: EntitlementSnapshot | null) => void;

/** A read-only view of the stored snapshot, the same in every page of the extension. Needs no framework. */
export interface SnapshotStore {
  /** The latest snapshot; null while nothing is known, which is "loading" and not "free". The same object until it changes. */
  get(): EntitlementSnapshot | null;
  /** Calls the listener after every change. Returns the function that ends it. */
  subscribe(listener: SnapshotListener): () => void;
  /** Settles when the first read is done. Await it before the first render to paint the last snapshot at once. */
  readonly loaded: Promise<void>;
}

export interface SnapshotStoreOptions {
  readonly place?: SnapshotPlace;
  /** Starts the worker: called where what is stored is gone or too old to go by, which the worker puts right. */
  readonly wake?: () => void;
}

/** A store of its own over a storage, for tests and other worlds; pages use `snapshotStore()`. */
export function createSnapshotStore(
  storage: BrowserStorage,
  { place = SHARED_PLACE, wake = () => {} }: SnapshotStoreOptions = {},
): SnapshotStore {
  const listeners = new Set<SnapshotListener>();
  let current: EntitlementSnapshot | null = null;
  /** The newest one that is stored: what it is now, the clock says. */
  let written: EntitlementSnapshot | null = null;
  let clock: Awaited<ReturnType<typeof import('./clock.ts').startClock>> | null = null;
  let starting: ReturnType<typeof import('./clock.ts').startClock> | undefined;
  /** As stored, by area: while the worker's own is full, its newest snapshot is in the memory of the session. */
  const stored = new Map<string, EntitlementSnapshot | null>();

  const accept = (areaName: string, value: unknown): void => {
    stored.set(areaName, parseSnapshot(value));
    const next = newerOf(stored.get('session') ?? null, stored.get('local') ?? null);
    if (next === null && current === null && listeners.size === 0) return;
    written = next;
    show();
    void withClock();
  };
  function show(): void {
    current = clock === null ? written : clock(written);
    showUser(current?.uid ?? null);
    for (const listener of listeners) listener(current);
  }
  /** Most accounts have nothing that the clock changes: who does loads what knows of it, before the first paint. */
  async function withClock(): Promise<void> {
    if (clock !== null || written?.credits?.pools === undefined) return;
    starting ??= import('./clock.ts').then(({ startClock }) => startClock(show, storage, place));
    clock = await starting;
    show();
  }
  const isRead = (areaName: string): boolean => areaName === place.areaName || areaName === 'session';
  storage.onChanged.addListener((changes, areaName) => {
    const change = isRead(areaName) ? changes[place.key] : undefined;
    if (change === undefined) return;
    accept(areaName, change.newValue);
    if (current === null) wake();
  });
  /** Content scripts have no session area. What cannot be read counts as nothing. */
  async function readFirst(areaName: 'local' | 'session'): Promise<void> {
    let value: unknown;
    try {
      value = (await storage[areaName].get(place.key))[place.key];
    } catch {}
    // A change that was reported meanwhile is newer than what this read saw.
    if (!stored.has(areaName)) accept(areaName, value);
  }
  const loaded = Promise.all((['session', 'local'] as const).filter(isRead).map(readFirst)).then(async () => {
    await withClock();
    if (accessView(current, Date.now()).staleness !== 'confirmed') wake();
  });

  return {
    get: () => current,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    loaded,
  };
}

let shared: SnapshotStore | undefined;
/** The page's one store, started at its first use. */
export function snapshotStore(): SnapshotStore {
  const browser = pageBrowser();
  shared ??= createSnapshotStore(browser.storage, { place: snapshotPlace(browser), wake: wakeWorker });
  return shared;
}

/** Any message starts the worker, which asks the server if that's due. A content script's message is refused, which doesn't matter. */
async function wakeWorker(): Promise<void> {
  try {
    await askBackground({ type: 'billingHello' }, false);
  } catch {}
}
