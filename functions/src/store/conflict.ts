/** gRPC's words for "what you read is no longer so": not found, already exists, failed precondition, aborted. */
const CONFLICTS: ReadonlySet<unknown> = new Set([5, 6, 9, 10]);

/** Whether a write failed because another one came first: read again and decide again. */
export function isConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CONFLICTS.has(error.code);
}

/** Whether a document that was to be created is there already. */
export function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 6;
}

/** gRPC's words for "no answer": cancelled, unknown, deadline exceeded, internal, unavailable. */
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
