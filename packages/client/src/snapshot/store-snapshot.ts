import { within } from '../within.ts';
import { parseSnapshot } from './parse.ts';
import { newerOf, SHARED_PLACE, type SnapshotPlace } from './place.ts';
import type { EntitlementSnapshot } from './snapshot.ts';

/** A storage that hangs holds no answer up for longer. */
const STORAGE_WITHIN_MS = 2_000;

type Area = Pick<chrome.storage.StorageArea, 'get' | 'set' | 'remove'>;

export interface SnapshotStorage {
  /** What is stored; null where that is nothing, or cannot be read. */
  load(): Promise<EntitlementSnapshot | null>;
  /** Stores it, in memory where the disk takes nothing more. Never rejects: who is waiting has an answer due. */
  save(snapshot: EntitlementSnapshot): Promise<void>;
  /** The same where it is not what is stored: somebody else wrote or removed it, or the disk was full. */
  restore(snapshot: EntitlementSnapshot | null): Promise<void>;
  clear(): Promise<void>;
}

export interface StorageOptions {
  readonly place?: SnapshotPlace;
  /** Where the snapshot goes while `area` refuses it: pages look there first. */
  readonly spare?: Area | null;
  readonly warn?: (text: string) => void;
}

/** The stored snapshot, through a storage that may be full, or hang. */
export function createSnapshotStorage(
  area: Area,
  { place = SHARED_PLACE, spare = null, warn = () => {} }: StorageOptions = {},
): SnapshotStorage {
  const tries = async (step: () => Promise<unknown>): Promise<boolean> => {
    try {
      return (await within(STORAGE_WITHIN_MS, Promise.resolve(step()), HUNG)) !== HUNG;
    } catch {
      return false;
    }
  };
  const read = async (from: Area): Promise<EntitlementSnapshot | null> => {
    let stored: unknown;
    await tries(async () => {
      stored = (await from.get(place.key))[place.key];
    });
    return parseSnapshot(stored);
  };
  /** null: not asked yet. A worker before this one may have left something there. */
  let isSpared: boolean | null = spare === null ? false : null;

  async function unspare(): Promise<void> {
    if (isSpared === false || spare === null) return;
    if (await tries(() => spare.remove(place.key))) isSpared = false;
  }

  async function save(snapshot: EntitlementSnapshot): Promise<void> {
    if (await tries(() => area.set({ [place.key]: snapshot }))) return unspare();
    const kept = spare !== null && (await tries(() => spare.set({ [place.key]: snapshot })));
    if (isSpared !== true) {
      warn(
        `chrome.storage.${place.areaName} takes no snapshot: it is full or does not answer. ` +
          (kept
            ? 'Pages read it from memory until then; content scripts see the one before. '
            : 'Pages see the one before. ') +
          'Free some of it, or ask for the unlimitedStorage permission.',
      );
    }
    isSpared = kept;
  }
  async function clear(): Promise<void> {
    await tries(() => area.remove(place.key));
    await unspare();
  }

  return {
    async load() {
      const spared = spare === null ? null : await read(spare);
      isSpared = spared !== null;
      return newerOf(spared, await read(area));
    },
    save,
    clear,
    async restore(snapshot) {
      if (JSON.stringify(await read(area)) === JSON.stringify(snapshot)) return unspare();
      await (snapshot === null ? clear() : save(snapshot));
    },
  };
}

const HUNG = Symbol('hung');
