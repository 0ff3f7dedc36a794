import { accessView } from './access.ts';
import { parseSnapshot } from './parse.ts';
import { type EntitlementSnapshot, SNAPSHOT_KEY } from './snapshot.ts';

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

/** @param wake starts the worker: called where the first snapshot is too old to go by, which the worker's start mends */
export function createSnapshotStore(
  storage: typeof chrome.storage,
  wake: () => void = () => {},
): SnapshotStore {
  const listeners = new Set<SnapshotListener>();
  let current: EntitlementSnapshot | null = null;
  let changedSinceStart = false;

  const accept = (value: unknown): void => {
    current = parseSnapshot(value);
    for (const listener of listeners) listener(current);
  };
  storage.onChanged.addListener((changes, area) => {
    const change = area === 'local' ? changes[SNAPSHOT_KEY] : undefined;
    if (change === undefined) return;
    changedSinceStart = true;
    accept(change.newValue);
  });
  const loaded = storage.local.get(SNAPSHOT_KEY).then((stored) => {
    // A change that was reported meanwhile is newer than what this read saw.
    if (!changedSinceStart) accept(stored[SNAPSHOT_KEY]);
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
  shared ??= createSnapshotStore(chrome.storage, wakeWorker);
  return shared;
}

/** Any message starts the worker, which asks the server at every start; a content script's is refused, and that is all. */
function wakeWorker(): void {
  Promise.resolve(chrome.runtime?.sendMessage({ type: 'billingHello' })).catch(() => {});
}
