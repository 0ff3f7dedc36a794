import type { BrowserStorage } from '../../browser-storage.ts';
import { parseSnapshot } from '../../snapshot/parse.ts';
import { SNAPSHOT_KEY } from '../../snapshot/snapshot.ts';
import { WALL_KEY } from './wall-key.ts';

/**
 * Ends a dismissal of the wall as soon as there is a balance again, also while no page is open to see it. Call once
 * at the top level of the background worker: it is the one that writes every balance.
 */
export function forgetDismissalWhenRisen(storage: BrowserStorage): void {
  storage.onChanged.addListener((changes, area) => {
    const snapshot = area === 'local' ? parseSnapshot(changes[SNAPSHOT_KEY]?.newValue) : null;
    if (snapshot?.credits?.balance) void storage.local.remove(WALL_KEY);
  });
}
