/** gRPC's words for "what you read is no longer so": not found, already exists, failed precondition, aborted. */
const CONFLICTS: ReadonlySet<unknown> = new Set([5, 6, 9, 10]);

/** Whether a write failed because another one came first: read again and decide again. */
export function isConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CONFLICTS.has(error.code);
}
