import type { Firestore, Timestamp, WriteBatch, WriteResult } from 'firebase-admin/firestore';
import { isOfItsWrites } from './conflict.ts';

/** Adds one caller's writes to a batch: the same ones whenever it is asked. */
type AddWrites = (batch: WriteBatch) => void;

interface Part {
  readonly addWrites: AddWrites;
  readonly resolve: (at: Timestamp | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Callers of one commit. Few enough that it stays far below what a commit may hold, and quick. */
const MOST_TOGETHER = 16;

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
export function shareCommit(firestore: Firestore, addWrites: AddWrites): Promise<Timestamp | undefined> {
  return new Promise((resolve, reject) => {
    const part = { addWrites, resolve, reject };
    const gathered = gathering.get(firestore);
    if (gathered !== undefined) {
      gathered.push(part);
      return;
    }
    const parts: Part[] = [part];
    gathering.set(firestore, parts);
    setImmediate(() => {
      gathering.delete(firestore);
      for (let at = 0; at < parts.length; at += MOST_TOGETHER) {
        void commitTogether(firestore, parts.slice(at, at + MOST_TOGETHER));
      }
    });
  });
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
  for (const { addWrites } of parts) addWrites(batch);
  const results: readonly WriteResult[] = await batch.commit();
  return results[0]?.writeTime;
}
