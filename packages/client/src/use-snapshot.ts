import { useSyncExternalStore } from 'react';
import { snapshotStore } from './snapshot/read.ts';
import type { EntitlementSnapshot } from './snapshot/snapshot.ts';

const subscribeToSnapshot = (onChange: () => void): (() => void) => snapshotStore().subscribe(onChange);
const getSnapshot = (): EntitlementSnapshot | null => snapshotStore().get();
/** A server knows no user, and the first render in the browser has to equal the server's. */
const getServerSnapshot = (): null => null;

/** The latest snapshot, in every open page without a reload; null while nothing is known yet (show "loading"). */
export function useSnapshot(): EntitlementSnapshot | null {
  return useSyncExternalStore(subscribeToSnapshot, getSnapshot, getServerSnapshot);
}
