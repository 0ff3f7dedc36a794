import { setTimeout as sleep } from 'node:timers/promises';
import type { Firestore, Transaction } from 'firebase-admin/firestore';
import type { Millis } from '../contract/customer.ts';
import { isUncertain } from './conflict.ts';

/** No attempt begins after this long: a delivery that waits is one that the provider repeats. */
const ATTEMPTS_WITHIN_MS: Millis = 8_000;
const LONGEST_PAUSE_MS: Millis = 400;

/**
 * Runs a transaction, and again while others are in its way or Firestore does not answer, within a bounded time. The
 * client would wait 1, 1.5, 2.3 and 3.4 s between its attempts, and 60 s once a quota was met; its own attempts are
 * therefore one (docs/decisions/0131-retries-end.md).
 *
 * @param work is called for each attempt; it has to be safe to repeat, as with `runTransaction`. `mayBeWritten`: the
 *   answer to an earlier attempt was lost, so what this one finds may be that one's.
 * @throws what the last attempt threw
 */
export async function transact<Result>(
  firestore: Firestore,
  work: (transaction: Transaction, mayBeWritten: boolean) => Promise<Result>,
): Promise<Result> {
  const begun = performance.now();
  let mayBeWritten = false;
  for (let longest = 20; ; longest = Math.min(LONGEST_PAUSE_MS, longest * 2)) {
    try {
      return await firestore.runTransaction((transaction) => work(transaction, mayBeWritten), {
        maxAttempts: 1,
      });
    } catch (error) {
      if (performance.now() - begun > ATTEMPTS_WITHIN_MS || !mayBeRepeated(error)) throw error;
      mayBeWritten ||= isUncertain(error);
    }
    await sleep(longest / 2 + (Math.random() * longest) / 2);
  }
}

/** What the client itself would repeat: a conflict over locks, no answer, a quota, a transaction that took too long. */
function mayBeRepeated(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error)) return false;
  if (error.code === 3) return error.message.includes('transaction has expired');
  return error.code === 10 || error.code === 8 || error.code === 16 || isUncertain(error);
}
