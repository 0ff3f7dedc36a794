import type { CustomerRecord, Millis } from '@contract/customer.ts';
import { admitBalance, admitRecord, type BalanceReport } from './admit.ts';
import { parseSnapshot } from './parse.ts';
import { projectRecord, signedOutSnapshot } from './project.ts';
import { type EntitlementSnapshot, SNAPSHOT_KEY } from './snapshot.ts';

export type WriteListener = (before: EntitlementSnapshot | null, after: EntitlementSnapshot) => void;

/** The only way to change the stored snapshot. One per worker; importable by background/ only. */
export interface SnapshotWriter {
  /** From now on only this user's states are taken. Another user's snapshot is removed before this settles. */
  begin(uid: string): Promise<void>;
  /** An explicit sign-out: nothing of the user stays, and late writes for them are dropped. */
  signOut(): Promise<void>;
  /** Nobody has ever signed in here: says so, unless something is stored. */
  nobodyYet(): Promise<void>;
  /** A state of the record from the server; null when there is none. */
  record(uid: string, record: CustomerRecord | null): Promise<void>;
  balance(report: BalanceReport): Promise<void>;
  current(): Promise<EntitlementSnapshot | null>;
  onWritten(listener: WriteListener): void;
}

/** Writes are serialised: each sees what the one before it stored. */
export function createSnapshotWriter(area: chrome.storage.StorageArea, now: () => Millis): SnapshotWriter {
  const listeners: WriteListener[] = [];
  let owner: string | null = null;
  let queue: Promise<unknown> = Promise.resolve();

  const read = async (): Promise<EntitlementSnapshot | null> =>
    parseSnapshot((await area.get(SNAPSHOT_KEY))[SNAPSHOT_KEY]);

  function enqueue<T>(step: () => Promise<T>): Promise<T> {
    const result = queue.then(step);
    queue = result.catch(() => {});
    return result;
  }
  function change(next: (stored: EntitlementSnapshot | null) => EntitlementSnapshot | null): Promise<void> {
    return enqueue(async () => {
      const before = await read();
      const after = next(before);
      if (after === null) return;
      await area.set({ [SNAPSHOT_KEY]: after });
      for (const listener of listeners) listener(before, after);
    });
  }

  return {
    begin(uid) {
      owner = uid;
      return enqueue(async () => {
        if ((await read())?.uid !== uid) await area.remove(SNAPSHOT_KEY);
      });
    },
    signOut() {
      owner = null;
      return change(() => signedOutSnapshot(now()));
    },
    nobodyYet: () =>
      change((stored) => (stored === null && owner === null ? signedOutSnapshot(now()) : null)),
    record: (uid, record) =>
      change((stored) => (uid === owner ? admitRecord(stored, projectRecord(uid, record, now())) : null)),
    balance: (report) =>
      change((stored) => (report.uid === owner ? admitBalance(stored, report, now()) : null)),
    current: () => enqueue(read),
    onWritten: (listener) => listeners.push(listener),
  };
}
