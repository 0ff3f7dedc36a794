/** One request that others may join, with the promise that its caller waits for. */
export interface Waiting<Request, Result> {
  readonly request: Request;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** So many wait already that another one would only use up memory: nothing of it was begun. */
export class Crowded extends Error {
  constructor(waiting: number) {
    super(`${waiting} requests wait already`);
    this.name = 'Crowded';
  }
}

export interface LaneLimits {
  /** Requests of one group. */
  readonly largest: number;
  /** Requests that wait in all lanes together; those of the groups under way are not counted. */
  readonly mostWaiting: number;
}

/**
 * One lane per key: requests that arrive while a group of the same key is under way go together into the next
 * one, at most `largest` at a time, and no more than `mostWaiting` wait. So one document is never written by two groups of this instance at once,
 * and a slow write makes larger groups instead of a queue.
 */
export class Lanes<Key, Request, Result> {
  readonly #waiting = new Map<Key, Waiting<Request, Result>[]>();
  readonly #run: (key: Key, group: readonly Waiting<Request, Result>[]) => Promise<void>;
  readonly #limits: LaneLimits;
  #count = 0;

  /** @param run settles every request of the group itself; what it throws is answered to each of them. */
  constructor(
    run: (key: Key, group: readonly Waiting<Request, Result>[]) => Promise<void>,
    limits: LaneLimits,
  ) {
    this.#run = run;
    this.#limits = limits;
  }

  /** @throws Crowded when as many wait as may. */
  enter(key: Key, request: Request): Promise<Result> {
    if (this.#count >= this.#limits.mostWaiting) return Promise.reject(new Crowded(this.#count));
    this.#count += 1;
    return new Promise((resolve, reject) => {
      const lane = this.#waiting.get(key);
      if (lane !== undefined) {
        lane.push({ request, resolve, reject });
        return;
      }
      this.#waiting.set(key, [{ request, resolve, reject }]);
      void this.#drain(key);
    });
  }

  async #drain(key: Key): Promise<void> {
    for (;;) {
      const group = this.#waiting.get(key)?.splice(0, this.#limits.largest) ?? [];
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
