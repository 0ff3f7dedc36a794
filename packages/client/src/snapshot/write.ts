import type { CustomerRecord, Millis } from '@extension-billing/contract/customer';
import { admitBalance, admitRecord, type BalanceReport, withPlausibleTime } from './admit.ts';
import { parseSnapshot } from './parse.ts';
import { projectRecord, signedOutSnapshot } from './project.ts';
import type { EntitlementSnapshot } from './snapshot.ts';
import { createSnapshotStorage, type StorageOptions } from './store-snapshot.ts';

export type WriteListener = (before: EntitlementSnapshot | null, after: EntitlementSnapshot) => void;

/** After a consume the listener brings the same state within milliseconds; this long after, it has missed it. */
const LISTENER_LATE_AFTER_MS = 10_000;

/** The only way to change the stored snapshot. One per worker; importable by background/ only. */
export interface SnapshotWriter {
  /** From now on only this user's states are taken. Another user's snapshot is removed before this settles. */
  begin(uid: string): Promise<void>;
  /** An explicit sign-out: nothing of the user stays, and late writes for them are dropped. */
  signOut(): Promise<void>;
  /** Nobody has signed in here: says so, unless something is stored that is not to be forgotten. */
  nobodyYet(options?: { readonly forget?: boolean }): Promise<void>;
  /** A listener starts: what it reports has seen everything that was answered until now. */
  listening(): void;
  /** A state of the record from the server; null when there is none. `contactAt`: when it was heard, if not just now. */
  record(uid: string, record: CustomerRecord | null, contactAt?: Millis): Promise<void>;
  balance(report: BalanceReport): Promise<void>;
  /** Whether a balance was answered a while ago that is newer than this state, the newest that the listener has. */
  isBehind(updatedAt: Millis): boolean;
  /** Writes again what somebody else has changed or removed. */
  restore(): Promise<void>;
  current(): Promise<EntitlementSnapshot | null>;
  onWritten(listener: WriteListener): void;
}

/**
 * Changes are serialised: each sees the one before it. What is stored is read once, at the first change of a worker's
 * life; from then on the worker knows better than the storage, which others can write, clear and fill up.
 */
export function createSnapshotWriter(
  area: chrome.storage.StorageArea,
  now: () => Millis,
  options: StorageOptions = {},
): SnapshotWriter {
  const storage = createSnapshotStorage(area, options);
  const listeners: WriteListener[] = [];
  let owner: string | null = null;
  let known: { readonly snapshot: EntitlementSnapshot | null } | null = null;
  let answered = { updatedAt: 0, at: 0 };
  let queue: Promise<unknown> = Promise.resolve();

  async function read(): Promise<EntitlementSnapshot | null> {
    known ??= { snapshot: withPlausibleTime(await storage.load(), now()) };
    return known.snapshot;
  }
  function enqueue<T>(step: () => Promise<T>): Promise<T> {
    const result = queue.then(step);
    queue = result.catch(() => {});
    return result;
  }
  function change(next: (before: EntitlementSnapshot | null) => EntitlementSnapshot | null): Promise<void> {
    return enqueue(async () => {
      const before = await read();
      const after = parseSnapshot(next(before));
      if (after === null) return;
      known = { snapshot: after };
      await storage.save(after);
      for (const listener of listeners) listener(before, after);
    });
  }
  function own(uid: string | null): void {
    if (uid !== owner) answered = { updatedAt: 0, at: 0 };
    owner = uid;
  }

  return {
    begin(uid) {
      own(uid);
      return enqueue(async () => {
        if ((await read())?.uid === uid) return;
        known = { snapshot: null };
        await storage.clear();
      });
    },
    signOut() {
      own(null);
      return change(() => signedOutSnapshot(now()));
    },
    nobodyYet: ({ forget = false } = {}) =>
      change((before) => {
        const isFree = before === null || (forget && before.uid !== null);
        return isFree && owner === null ? signedOutSnapshot(now()) : null;
      }),
    listening() {
      answered = { updatedAt: 0, at: 0 };
    },
    record: (uid, record, contactAt) =>
      change((before) => {
        if (uid !== owner) return null;
        return admitRecord(before, projectRecord(uid, record, now(), contactAt), answered.updatedAt);
      }),
    balance: (report) =>
      change((before) => {
        const after = admitBalance(before, report, now());
        if (after !== null) answered = { updatedAt: report.updatedAt, at: now() };
        return after;
      }),
    isBehind: (updatedAt) => updatedAt < answered.updatedAt && now() - answered.at >= LISTENER_LATE_AFTER_MS,
    restore: () =>
      enqueue(async () => {
        if (known !== null) await storage.restore(known.snapshot);
      }),
    current: () => enqueue(read),
    onWritten: (listener) => listeners.push(listener),
  };
}
