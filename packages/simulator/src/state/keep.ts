import { finishAdvance } from '../clocks/test-clocks.ts';
import type { IdempotencyKeys } from '../http/api.ts';
import type { Dispatcher } from '../webhooks/dispatcher.ts';
import {
  clocksUnderway,
  parseSnapshot,
  readStateFile,
  restoreWorld,
  type Snapshot,
  StateFile,
  snapshotWorld,
} from './snapshot.ts';
import type { World } from './world.ts';

/** What has to be kept of a simulator that is to survive its process. */
export interface Kept {
  world: World;
  dispatcher: Dispatcher;
  keys: IdempotencyKeys;
}

export interface StateKeeping {
  /** Resolves when the file holds everything that has happened until now. */
  saved: () => Promise<void>;
  /** Saves what happened without being asked for: renewals, deliveries. For use now and then. */
  savedIfMoved: () => Promise<void>;
}

/** For a simulator that lives in memory alone. */
export const KEPT_NOWHERE: StateKeeping = {
  saved: () => Promise.resolve(),
  savedIfMoved: () => Promise.resolve(),
};

/** Everything that a simulator remembers, as it is now. */
export function takeSnapshot({ world, dispatcher, keys }: Kept): Snapshot {
  return { ...snapshotWorld(world), answers: keys.entries(), deliveries: dispatcher.kept() };
}

/** Puts a snapshot in place of everything that a simulator remembers. */
export function restoreSnapshot({ world, dispatcher, keys }: Kept, snapshot: Snapshot): void {
  restoreWorld(world, snapshot);
  keys.restore(snapshot.answers);
  dispatcher.restore(snapshot.deliveries);
  for (const { clock, to } of clocksUnderway(world)) finishAdvance(world, clock, to);
}

/**
 * Takes a simulator's state from a file, where there is one, and keeps it there from now on. The simulator's
 * `baseUrl` has to be known.
 * @throws Error for a file that is no state file.
 */
export function keepState(path: string, kept: Kept): StateKeeping {
  const { world } = kept;
  const text = readStateFile(path);
  if (text !== null) restoreSnapshot(kept, parseSnapshot(text, path, world.options.baseUrl));
  const file = new StateFile(path, () => takeSnapshot(kept));
  let savedRevision = -1;
  const saved = async (): Promise<void> => {
    const { revision } = world;
    await file.saved();
    savedRevision = Math.max(savedRevision, revision);
  };
  return { saved, savedIfMoved: async () => (world.revision > savedRevision ? saved() : undefined) };
}
