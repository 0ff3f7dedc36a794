interface Run<Result> {
  readonly result: Promise<Result>;
  waiting: number;
}

/** So many wait for this key's runs already that another one would only fill the instance. */
export class TooManyWaiting extends Error {}

/**
 * A keyed mutex whose callers share: of one key, one run after the other; and who asks for what is already under way,
 * or next in line, gets that run's result instead of one of their own. So a burst of equal requests of one user costs
 * what a single one costs.
 */
export class SharedRuns<Result> {
  readonly #runs = new Map<string, Map<string, Run<Result>>>();
  readonly #maxWaiting: number;

  /** @param maxWaiting callers of one key that wait at the same time */
  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  /**
   * @param what names equal requests of a key
   * @returns the run's result, and whether another caller started it
   * @throws TooManyWaiting without having started anything; or what the run threw, to each of its callers
   */
  async join(
    key: string,
    what: string,
    run: () => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly shared: boolean }> {
    const runs = this.#runs.get(key) ?? new Map<string, Run<Result>>();
    const waiting = [...runs.values()].reduce((sum, each) => sum + each.waiting, 0);
    if (waiting >= this.#maxWaiting) throw new TooManyWaiting();
    const known = runs.get(what);
    if (known !== undefined) {
      known.waiting += 1;
      return { result: await known.result, shared: true };
    }
    const last = [...runs.values()].at(-1)?.result.catch(() => {});
    this.#runs.set(key, runs);
    const result = (async () => {
      await last;
      return run();
    })();
    runs.set(what, { result, waiting: 1 });
    try {
      return { result: await result, shared: false };
    } finally {
      runs.delete(what);
      if (runs.size === 0) this.#runs.delete(key);
    }
  }
}
