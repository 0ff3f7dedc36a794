import type { Firestore, Timestamp, WriteBatch, WriteResult } from 'firebase-admin/firestore';
import type { Uid } from './documents.ts';
import { isOfItsWrites } from './transact.ts';

// Requests that arrive while one is under way share the next call to Firestore: a queue for each user, whose waiting
// requests are handled as a group or one after the other, and one commit for what several users' write at the same moment.

/** A request in a queue, with the promise that its caller waits for. */
export interface Waiting<Request, Result> {
  readonly request: Request;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** So many wait already that another one would only use up memory: nothing of it was begun. */
export class Overloaded extends Error {
  constructor(waiting: number) {
    super(`${waiting} requests wait already`);
    this.name = 'Overloaded';
  }
}

interface QueueLimits {
  /** Requests of one group. */
  readonly maxGroup: number;
  /** Requests that wait under all keys together; those of the groups under way are not counted. */
  readonly maxWaiting: number;
}

/**
 * A queue for each key. Requests that arrive while a group of the same key is under way are the next group, so one
 * document is never written by two groups of this instance at once, and a slow write makes larger groups instead of a
 * longer queue.
 */
export class PerKeyQueue<Key, Request, Result> {
  readonly #waiting = new Map<Key, Waiting<Request, Result>[]>();
  readonly #run: (key: Key, group: readonly Waiting<Request, Result>[]) => Promise<void>;
  readonly #limits: QueueLimits;
  #count = 0;

  /** @param run settles every request of the group itself; what it throws is answered to each of them. */
  constructor(
    run: (key: Key, group: readonly Waiting<Request, Result>[]) => Promise<void>,
    limits: QueueLimits,
  ) {
    this.#run = run;
    this.#limits = limits;
  }

  /** @throws Overloaded when as many wait as may. */
  add(key: Key, request: Request): Promise<Result> {
    if (this.#count >= this.#limits.maxWaiting) return Promise.reject(new Overloaded(this.#count));
    this.#count += 1;
    return new Promise((resolve, reject) => {
      const queue = this.#waiting.get(key);
      if (queue !== undefined) {
        queue.push({ request, resolve, reject });
        return;
      }
      this.#waiting.set(key, [{ request, resolve, reject }]);
      void this.#drain(key);
    });
  }

  async #drain(key: Key): Promise<void> {
    for (;;) {
      const group = this.#waiting.get(key)?.splice(0, this.#limits.maxGroup) ?? [];
      this.#count -= group.length;
      if (group.length === 0) {
        this.#waiting.delete(key);
        return;
      }
      try {
        await this.#run(key, group);
      } catch (error) {
        for (const waiting of group) waiting.reject(error);
      }
    }
  }
}

/** Adds one write to a batch: the same one whenever it is called. */
export type AddWrite = (batch: WriteBatch) => void;

type Part = Waiting<readonly AddWrite[], Timestamp | undefined>;

/** Callers of one commit, and their writes: what Firestore took at most for years, which keeps a commit quick. */
const MAX_CALLERS = 16;
const MAX_WRITES = 500;

const gathering = new WeakMap<Firestore, Part[]>();

/**
 * Group commit: commits writes that stand or fall together. What several callers want to commit in the same turn of
 * the event loop goes in one call: nobody waits for it, and the busier the instance, the more there is in a call
 * (docs/decisions/credits.md#consumes-of-several-users-share-a-commit).
 *
 * When such a call fails for what one of them wants to write, nothing is written, and each caller's writes go by
 * themselves: a caller fails for its own only. A failure of Firestore itself (no answer, quota) is every caller's.
 *
 * Two callers of one turn must not write the same document: both would find the version that they built on, and the second
 * would undo the first. `PerKeyQueue` runs one group of a user at a time.
 *
 * @param options `alone`: in a call of their own, because they may well fail
 * @returns when the writes happened; the same as their documents' `updateTime`
 */
export function groupCommit(
  firestore: Firestore,
  writes: readonly AddWrite[],
  { alone = false }: { readonly alone?: boolean } = {},
): Promise<Timestamp | undefined> {
  return new Promise((resolve, reject) => {
    const part: Part = { request: writes, resolve, reject };
    if (alone) {
      void commitTogether(firestore, [part]);
      return;
    }
    const gathered = gathering.get(firestore);
    if (gathered !== undefined) {
      gathered.push(part);
      return;
    }
    const parts = [part];
    gathering.set(firestore, parts);
    setImmediate(() => {
      gathering.delete(firestore);
      for (const together of inCommits(parts)) void commitTogether(firestore, together);
    });
  });
}

/** In their order. One that is too large goes alone, and Firestore says what is wrong with it. */
function inCommits(parts: readonly Part[]): readonly (readonly Part[])[] {
  const commits: Part[][] = [];
  let count = 0;
  for (const part of parts) {
    const last = commits.at(-1);
    count += part.request.length;
    if (last !== undefined && last.length < MAX_CALLERS && count <= MAX_WRITES) {
      last.push(part);
    } else {
      commits.push([part]);
      count = part.request.length;
    }
  }
  return commits;
}

async function commitTogether(firestore: Firestore, parts: readonly Part[]): Promise<void> {
  try {
    const at = await commit(firestore, parts);
    for (const { resolve } of parts) resolve(at);
  } catch (error) {
    const isAnothers = parts.length > 1 && isOfItsWrites(error);
    for (const part of parts) {
      if (isAnothers) void commitTogether(firestore, [part]);
      else part.reject(error);
    }
  }
}

async function commit(firestore: Firestore, parts: readonly Part[]): Promise<Timestamp | undefined> {
  const batch = firestore.batch();
  for (const { request: writes } of parts) for (const add of writes) add(batch);
  const results: readonly WriteResult[] = await batch.commit();
  return results[0]?.writeTime;
}

const running = new WeakMap<Firestore, Map<Uid, Promise<unknown>>>();

/**
 * A keyed mutex: runs what writes a user's record when what came before it for the same user is over, whichever way
 * that ended.
 *
 * The provider sends the events of one purchase at the same moment. They read and write the same documents, so each would
 * fail the others, or keep them from committing until the database gives one up: four at once took three seconds, one
 * after the other they take milliseconds. Between instances preconditions and transactions keep the order.
 */
export function runExclusive<Result>(
  firestore: Firestore,
  uid: Uid,
  work: () => Promise<Result>,
): Promise<Result> {
  const users = running.get(firestore) ?? new Map<Uid, Promise<unknown>>();
  running.set(firestore, users);
  const run = (users.get(uid) ?? Promise.resolve()).then(work);
  const over = run.then(
    () => {},
    () => {},
  );
  users.set(uid, over);
  void over.then(() => {
    if (users.get(uid) === over) users.delete(uid);
  });
  return run;
}
