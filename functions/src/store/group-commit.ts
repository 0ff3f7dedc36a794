import {
  type DocumentData,
  type DocumentReference,
  type DocumentSnapshot,
  FieldValue,
  type Firestore,
  type SetOptions,
  type Timestamp,
  type WriteBatch,
  type WriteResult,
} from 'firebase-admin/firestore';
import type { Uid } from './documents.ts';
import { groupReadAll } from './group-read.ts';
import { isOfItsWrites, isUncertain, type ReadThenWrite } from './transact.ts';

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

interface Part extends Waiting<readonly AddWrite[], Timestamp | undefined> {
  readonly owner: Uid;
}

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
 * @param owner whose documents they are. One commit has one part of each owner: two that build on the same version of a
 *   record would both find it unchanged, and the second would undo the first.
 * @param options `alone`: in a call of their own, because they may well fail
 * @returns when the writes happened; the same as their documents' `updateTime`
 */
export function groupCommit(
  firestore: Firestore,
  owner: Uid,
  writes: readonly AddWrite[],
  { alone = false }: { readonly alone?: boolean } = {},
): Promise<Timestamp | undefined> {
  return new Promise((resolve, reject) => {
    const part: Part = { owner, request: writes, resolve, reject };
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

/**
 * In their order, the first one of each owner together and the others by themselves; one that is too large goes alone, and
 * Firestore says what is wrong with it.
 */
function inCommits(parts: readonly Part[]): readonly (readonly Part[])[] {
  const together: Part[][] = [];
  const alone: Part[][] = [];
  const owners = new Set<Uid>();
  let count = 0;
  for (const part of parts) {
    if (owners.has(part.owner)) {
      alone.push([part]);
      continue;
    }
    owners.add(part.owner);
    const last = together.at(-1);
    count += part.request.length;
    if (last !== undefined && last.length < MAX_CALLERS && count <= MAX_WRITES) {
      last.push(part);
    } else {
      together.push([part]);
      count = part.request.length;
    }
  }
  return [...together, ...alone];
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

export type Attempted<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  /** To be done in a transaction. `mayBeWritten`: the answer was lost, so what that finds may be this attempt's. */
  | { readonly kind: 'failed'; readonly mayBeWritten: boolean };

/**
 * What a transaction would do, once and without its locks: reads and commit are shared with others of the same moment, and
 * each write names the version that was read, so that nothing is written on top of what somebody else wrote meanwhile
 * (docs/decisions/events-in-any-order.md#events-of-several-users-share-calls).
 *
 * @param uid whose documents are written
 * @param work may only decide by documents that it also writes, in one `getAll`
 * @throws what `work` throws
 */
export async function attemptShared<Result>(
  firestore: Firestore,
  uid: Uid,
  work: (attempt: ReadThenWrite) => Promise<Result>,
): Promise<Attempted<Result>> {
  const attempt = new SharedAttempt(firestore, uid);
  try {
    const result = await work(attempt);
    await attempt.commit();
    return { kind: 'done', result };
  } catch (error) {
    // What is not of Firestore has no code.
    if (!(error instanceof Error && 'code' in error)) throw error;
    return { kind: 'failed', mayBeWritten: isUncertain(error) };
  }
}

class SharedAttempt implements ReadThenWrite {
  readonly #firestore: Firestore;
  readonly #uid: Uid;
  readonly #read = new Map<DocumentReference, DocumentSnapshot>();
  readonly #writes = new Map<DocumentReference, AddWrite>();

  constructor(firestore: Firestore, uid: Uid) {
    this.#firestore = firestore;
    this.#uid = uid;
  }

  async getAll(...documents: DocumentReference[]): Promise<DocumentSnapshot[]> {
    const found = await groupReadAll(this.#firestore, documents);
    for (const [index, document] of documents.entries()) {
      const snapshot = found[index];
      if (snapshot !== undefined) this.#read.set(document, snapshot);
    }
    return found;
  }

  create(document: DocumentReference, data: DocumentData): void {
    this.#writes.set(document, (batch) => batch.create(document, data));
  }

  update(document: DocumentReference, fields: DocumentData): void {
    const lastUpdateTime = this.#read.get(document)?.updateTime;
    if (lastUpdateTime === undefined) throw new Error('only what was read and is there is updated');
    this.#writes.set(document, (batch) => batch.update(document, fields, { lastUpdateTime }));
  }

  set(document: DocumentReference, fields: DocumentData, options: SetOptions): void {
    const read = this.#read.get(document);
    if (read?.exists === true) throw new Error('what was read and is there is updated');
    if (read === undefined) this.#writes.set(document, (batch) => batch.set(document, fields, options));
    else this.create(document, withoutDeletions(fields));
  }

  async commit(): Promise<void> {
    if (this.#writes.size === 0) return;
    for (const document of this.#read.keys()) {
      // Nothing would tell that another wrote it meanwhile.
      if (!this.#writes.has(document)) throw new Error(`${document.path} was read and is not written`);
    }
    await groupCommit(this.#firestore, this.#uid, [...this.#writes.values()]);
  }
}

/** A document that is made has nothing to delete, and the client takes no deletion there. */
function withoutDeletions(fields: DocumentData): DocumentData {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !(value instanceof FieldValue)));
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
