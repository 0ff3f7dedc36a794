/** A busy machine tries fewer cases. A property that is interrupted before its first case fails. */
const LONGEST_MS = 10_000;

/** So many cases, or as many as there is time for. */
export function runs(numRuns: number) {
  return { numRuns, interruptAfterTimeLimit: LONGEST_MS } as const;
}
