import type { Millis } from '@extension-billing/contract/customer';
import type { CustomerRecord } from '@extension-billing/contract/record';
import type { StorageArea } from '../browser-storage.ts';
import { within } from '../promises.ts';
import { projectRecord, signedOutSnapshot } from './project.ts';
import {
  type EntitlementSnapshot,
  newerOf,
  parseSnapshot,
  SHARED_PLACE,
  type SnapshotCredits,
  type SnapshotPlace,
} from './snapshot.ts';

/** How long an unchanged snapshot stays before it is written again to say that it was confirmed. */
const CONFIRM_AFTER_MS: Millis = 60_000;
/** A stored instant that is further ahead than any clock is wrong by was not written by this extension. */
const CLOCK_TOLERANCE_MS: Millis = 2 * 86_400_000;

/**
 * The listener's copy of the record, against what is known: the snapshot to write, or null to leave it. The listener's
 * word is the server's, so it replaces whatever was stored, newer-looking or not: a foreign write, a record that was
 * restored from a backup. One thing can be newer than it: a consume's answer that came after the listener had started
 * (`answered`, the record's instant in the newest of these; 0 for none). A record that the server says is gone
 * (`updatedAt` 0) is believed.
 */
function admitRecord(
  known: EntitlementSnapshot | null,
  candidate: EntitlementSnapshot,
  answered: Millis,
): EntitlementSnapshot | null {
  if (candidate.updatedAt !== 0 && candidate.updatedAt < answered) return null;
  if (known === null || !sameContent(known, candidate)) return candidate;
  const since = candidate.contactAt - known.contactAt;
  // A contact that is ahead was stamped by a clock that has been set back since: it would look old at every wake.
  return since >= 0 && since < CONFIRM_AFTER_MS ? null : candidate;
}

/** A balance that a consume answered, with the instant of the record that it belongs to. */
export interface BalanceReport {
  readonly uid: string;
  readonly credits: Pick<SnapshotCredits, 'balance' | 'allowance' | 'packCredits'>;
  readonly updatedAt: Millis;
  /** What the request that was answered holds from now on; a settle isn't told apart from a spend. */
  readonly holds?: number;
}

/**
 * A consume's balance against what is known: the snapshot to write, or null to leave it. Only a newer instant is
 * taken: of two states within one millisecond the listener's is the last word. Without a snapshot of that user there is
 * nothing to add a balance to, and the listener brings the whole record.
 */
function admitBalance(
  known: EntitlementSnapshot | null,
  report: BalanceReport,
  mirroredAt: Millis,
): EntitlementSnapshot | null {
  if (known === null || known.uid !== report.uid || report.updatedAt <= known.updatedAt) return null;
  const { balance = 0, monthlyCredits = 0, held: before = 0, pools } = known.credits ?? {};
  // The record says for sure what is held; until then, what came back had been held.
  const held = Math.max(0, before + (report.holds ?? 0) - Math.max(0, report.credits.balance - balance));
  return {
    ...known,
    credits: {
      ...report.credits,
      monthlyCredits,
      ...(held > 0 && { held }),
      ...(pools && { pools, asOf: mirroredAt }),
    },
    updatedAt: report.updatedAt,
    mirroredAt,
  };
}

/** What was found stored, with an instant that no record can have taken for none: everything of the server's is newer. */
function withPlausibleTime(stored: EntitlementSnapshot | null, now: Millis): EntitlementSnapshot | null {
  if (stored === null || stored.updatedAt <= now + CLOCK_TOLERANCE_MS) return stored;
  return { ...stored, updatedAt: 0 };
}

function sameContent(a: EntitlementSnapshot, b: EntitlementSnapshot): boolean {
  const withoutTime = ({ mirroredAt: _, contactAt: __, ...rest }: EntitlementSnapshot) =>
    JSON.stringify(rest);
  return withoutTime(a) === withoutTime(b);
}

/** A storage that hangs holds no answer up for longer. */
const STORAGE_WITHIN_MS = 2_000;

interface SnapshotStorage {
  /** What is stored; null where that is nothing, or cannot be read. */
  load(): Promise<EntitlementSnapshot | null>;
  /** Stores it, in memory where the disk takes nothing more. Never rejects: who is waiting has an answer due. */
  save(snapshot: EntitlementSnapshot): Promise<void>;
  /** The same where it is not what is stored: somebody else wrote or removed it, or the disk was full. */
  restore(snapshot: EntitlementSnapshot | null): Promise<void>;
  clear(): Promise<void>;
}

interface StorageOptions {
  readonly place?: SnapshotPlace;
  /** Where the snapshot goes while `area` refuses it: pages look there first. */
  readonly spare?: StorageArea | null;
  readonly warn?: (text: string) => void;
}

/** The stored snapshot, through a storage that may be full, or hang. */
function createSnapshotStorage(
  area: StorageArea,
  { place = SHARED_PLACE, spare = null, warn = () => {} }: StorageOptions = {},
): SnapshotStorage {
  const tries = async (step: () => Promise<unknown>): Promise<boolean> => {
    try {
      return (await within(STORAGE_WITHIN_MS, Promise.resolve(step()), HUNG)) !== HUNG;
    } catch {
      return false;
    }
  };
  const read = async (from: StorageArea): Promise<EntitlementSnapshot | null> => {
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

type WriteListener = (before: EntitlementSnapshot | null, after: EntitlementSnapshot) => void;

/** After a consume the listener brings the same state within milliseconds; this long after, it has missed it. */
const LISTENER_LATE_AFTER_MS = 10_000;

/** The only way to change the stored snapshot. One per worker; importable by background/ only. */
export interface SnapshotWriter {
  /** From now on only this user's states are taken. Another user's snapshot is removed before this settles. */
  begin(uid: string): Promise<void>;
  /** An explicit sign-out: nothing of the user stays, and late writes for them are dropped. */
  signOut(): Promise<void>;
  /** No user is stored, also without a sign-out: a stored snapshot would show their plan for good. */
  nobody(): Promise<void>;
  /** A listener starts: what it reports has seen everything that was answered until now. */
  listening(): void;
  /**
   * A state of the record from the server; null when there is none. `contactAt`: when it was heard, if not just now.
   * `expected`: credits of an account that has none on record; null: none, undefined: what was expected before.
   */
  record(
    uid: string,
    record: CustomerRecord | null,
    contactAt?: Millis,
    expected?: SnapshotCredits | null,
  ): Promise<void>;
  balance(report: BalanceReport): Promise<void>;
  /** A state that another tab of a web app has stored: taken if it is this user's, and newer. */
  adopt(snapshot: EntitlementSnapshot): Promise<void>;
  /**
   * Whether a balance was answered a while ago that is newer than this state, the newest that the listener has.
   * `lateMs`: how long ago; 10 s by default.
   */
  isBehind(updatedAt: Millis, lateMs?: Millis): boolean;
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
  area: StorageArea,
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
    nobody: () =>
      change((before) =>
        // Somebody may have signed in meanwhile.
        owner === null && (before === null || before.uid !== null) ? signedOutSnapshot(now()) : null,
      ),
    listening() {
      answered = { updatedAt: 0, at: 0 };
    },
    record: (uid, record, contactAt, expected) =>
      change((before) => {
        if (uid !== owner) return null;
        const known = before?.credits?.expected ? before.credits : null;
        const state = projectRecord(uid, record, now(), contactAt);
        const credits = state.credits ?? (expected === undefined ? known : expected);
        return admitRecord(before, { ...state, credits }, answered.updatedAt);
      }),
    balance: (report) =>
      change((before) => {
        const after = admitBalance(before, report, now());
        if (after !== null) answered = { updatedAt: report.updatedAt, at: now() };
        return after;
      }),
    adopt: (snapshot) =>
      change((before) => {
        if (snapshot.uid === null || snapshot.uid !== owner) return null;
        const isNewer =
          before === null ||
          snapshot.updatedAt > before.updatedAt ||
          (snapshot.updatedAt === before.updatedAt && snapshot.contactAt > before.contactAt);
        if (!isNewer) return null;
        answered = { updatedAt: Math.max(answered.updatedAt, snapshot.updatedAt), at: now() };
        return snapshot;
      }),
    isBehind: (updatedAt, lateMs = LISTENER_LATE_AFTER_MS) =>
      updatedAt < answered.updatedAt && now() - answered.at >= lateMs,
    restore: () =>
      enqueue(async () => {
        if (known !== null) await storage.restore(known.snapshot);
      }),
    current: () => enqueue(read),
    onWritten: (listener) => listeners.push(listener),
  };
}
