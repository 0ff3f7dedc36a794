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
