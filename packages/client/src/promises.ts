/** The promise's value, or `fallback` when it takes longer than `ms`. For services that may hang for ever. */
export function within<T, F>(ms: number, promise: Promise<T>, fallback: F): Promise<T | F> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expiry = new Promise<F>((resolve) => {
    timer = setTimeout(() => resolve(fallback), ms);
  });
  return Promise.race([promise, expiry]).finally(() => clearTimeout(timer));
}

/**
 * Runs one piece of work at a time: what is asked for while one is under way is not started and resolves with null.
 * Known at once, unlike React's state, which two clicks within one frame would both read as "nothing under way".
 */
export function oneAtATime(): <Result>(work: () => Promise<Result>) => Promise<Result | null> {
  let isBusy = false;
  return async (work) => {
    if (isBusy) return null;
    isBusy = true;
    try {
      return await work();
    } finally {
      isBusy = false;
    }
  };
}
