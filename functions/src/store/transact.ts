import { setTimeout as sleep } from 'node:timers/promises';
import type { Millis } from '@extension-billing/contract/customer';
import type { Firestore, Transaction } from 'firebase-admin/firestore';
import { asTransaction } from '../platform/patches.ts';

// Transactions: how often and how long they are tried, and what failures of writes mean.

/** No attempt begins after this long: a delivery that waits is one that the provider repeats. */
const ATTEMPTS_WITHIN_MS: Millis = 10_000;
/** The first pause where Firestore did not answer, and the longest: who waits is served soon after an outage. */
const OUTAGE_PAUSE: Pause = { first: 20, growth: 2, longest: 400 };
/** Where others are in the way: transactions that meet have to part, or they meet again. As the client itself waits. */
const CONFLICT_PAUSE: Pause = { first: 1_000, growth: 1.5, longest: 3_500 };

interface Pause {
  readonly first: Millis;
  readonly growth: number;
  readonly longest: Millis;
}

/**
 * Runs a transaction, and again while others are in its way or Firestore does not answer, within a bounded time. The
 * client would wait for seconds after an outage too, and 60 s once a quota was met; its own attempts are therefore one
 * (docs/decisions/firestore.md#retries-end).
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
  const run = () =>
    asTransaction(() =>
      firestore.runTransaction((transaction) => work(transaction, mayBeWritten), { maxAttempts: 1 }),
    );
  return retry(run, (error, attempt) => {
    if (performance.now() - begun > ATTEMPTS_WITHIN_MS || !mayBeRepeated(error)) return null;
    mayBeWritten ||= isUncertain(error);
    return pauseBefore(isConflict(error) ? CONFLICT_PAUSE : OUTAGE_PAUSE, attempt);
  });
}

/**
 * Returns the pause before the next attempt, or null if the error is final.
 *
 * @param attempt 0 for the first failed attempt
 */
export type RetryPolicy = (error: unknown, attempt: number) => Millis | null;

/** Reads, decides and writes until the write succeeds or the policy gives up. @throws the last error */
export async function retry<Result>(attempt: () => Promise<Result>, policy: RetryPolicy): Promise<Result> {
  for (let failed = 0; ; failed += 1) {
    try {
      return await attempt();
    } catch (error) {
      const pause = policy(error, failed);
      if (pause === null) throw error;
      await sleep(pause);
    }
  }
}

function pauseBefore({ first, growth, longest }: Pause, attempt: number): Millis {
  return Math.min(longest, first * growth ** attempt) * (0.5 + Math.random());
}

/** What the client itself would repeat: a conflict over locks, no answer, a quota, a transaction that took too long. */
function mayBeRepeated(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error)) return false;
  if (error.code === 3) return error.message.includes('transaction has expired');
  return error.code === 10 || error.code === 8 || error.code === 16 || isUncertain(error);
}

/** gRPC's codes for "what you read is no longer so": not found, already exists, failed precondition, aborted. */
const CONFLICTS: ReadonlySet<unknown> = new Set([5, 6, 9, 10]);

/** Whether a write failed because another one came first: read again and decide again. */
export function isConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CONFLICTS.has(error.code);
}

/** Whether a document that was to be created is there already. */
export function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 6;
}

/** gRPC's codes for "no answer": cancelled, unknown, deadline exceeded, internal, unavailable. */
const UNCERTAIN: ReadonlySet<unknown> = new Set([1, 2, 4, 13, 14]);

/** Whether a write may or may not have happened: only reading again tells. */
export function isUncertain(error: unknown): boolean {
  return error instanceof Error && 'code' in error && UNCERTAIN.has(error.code);
}

/**
 * Whether a write failed for what was to be written: a conflict, or content that Firestore (3, invalid argument) or
 * its client (no code) does not take. Then nothing is written, and other writes may go through.
 */
export function isOfItsWrites(error: unknown): boolean {
  return isConflict(error) || !(error instanceof Error && 'code' in error) || error.code === 3;
}
