/** A busy machine tries fewer: what counts is that every run of the tests tries others. */
const LONGEST_MS = 2_000;

/** So many cases, or as many as there is time for. */
export function runs(numRuns: number) {
  return { numRuns, interruptAfterTimeLimit: LONGEST_MS } as const;
}
