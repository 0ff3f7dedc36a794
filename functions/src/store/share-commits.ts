import type { Firestore, Timestamp, WriteBatch, WriteResult } from 'firebase-admin/firestore';
import { isOfItsWrites } from './conflict.ts';
import type { Waiting } from './lanes.ts';

/** Adds one write to a batch: the same one whenever it is asked. */
export type AddWrite = (batch: WriteBatch) => void;

type Part = Waiting<readonly AddWrite[], Timestamp | undefined>;

/** Callers of one commit, and their writes: what Firestore took at most for years, which keeps a commit quick. */
const MOST_CALLERS = 16;
const MOST_WRITES = 500;

const gathering = new WeakMap<Firestore, Part[]>();

/**
 * Commits writes that stand or fall together. What several callers want to commit in the same turn of the event loop
 * goes in one call: nobody waits for it, and the busier the instance, the more there is in a call
 * (docs/decisions/0049-shared-commits.md).
 *
 * When such a call fails for what one of them wants to write, nothing is written, and each caller's writes go by
 * themselves: a caller fails for its own only. What is wrong with Firestore itself (no answer, quota) every caller hears.
 *
 * @returns when the writes happened; the same as their documents' `updateTime`
 */
export function shareCommit(
  firestore: Firestore,
  writes: readonly AddWrite[],
): Promise<Timestamp | undefined> {
  return new Promise((resolve, reject) => {
    const part: Part = { request: writes, resolve, reject };
    const gathered = gathering.get(firestore);
    if (gathered !== undefined) {
      gathered.push(part);
      return;
    }
    const parts = [part];
    gathering.set(firestore, parts);
    setImmediate(() => {
      gathering.delete(firestore);
      for (const together of loads(parts)) void commitTogether(firestore, together);
    });
  });
}

/** In their order; one that is too large by itself goes alone, and Firestore says what it thinks of it. */
function loads(parts: readonly Part[]): readonly (readonly Part[])[] {
  const all: Part[][] = [];
  let count = 0;
  for (const part of parts) {
    const last = all.at(-1);
    count += part.request.length;
    if (last !== undefined && last.length < MOST_CALLERS && count <= MOST_WRITES) {
      last.push(part);
    } else {
      all.push([part]);
      count = part.request.length;
    }
  }
  return all;
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
