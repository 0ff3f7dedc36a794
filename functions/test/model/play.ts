import fc from 'fast-check';
import type { Opening } from './any-history.ts';

/** Random histories of a model, from one seed on. */
export interface Look {
  readonly seed: number;
  readonly histories: number;
  /** What histories of the events' model start with; anything if absent. */
  readonly opening?: Opening;
  /** Plays one case only, by the path that fast-check printed. */
  readonly path?: string;
  /** Returns the first failure as it was found, without shrinking it. */
  readonly asFound?: boolean;
}

/**
 * Plays a property of a model.
 *
 * @param model as `npm run test:model -- --of` calls it
 * @param story tells a failed case, line by line
 * @returns the first failure, with the case and the command that replays it; null if there is none
 */
export async function play<Case>(
  model: string,
  property: fc.IAsyncProperty<[Case]>,
  { seed, histories, path, asFound = false }: Look,
  story: (failed: Case) => readonly string[],
): Promise<string | null> {
  const details = await fc.check(property, {
    ...{ numRuns: histories, seed },
    ...((asFound || path !== undefined) && { endOnFailure: true }),
    ...(path !== undefined && { path }),
  });
  if (!details.failed) return null;
  const [failed] = details.counterexample ?? [];
  return [
    `replay: npm run test:model -w functions -- --of ${model} --seed ${details.seed} --path ${details.counterexamplePath}`,
    `failed after ${details.numRuns} histories, shrunk ${details.numShrinks} times`,
    ...(failed === undefined ? [] : story(failed)),
    wordsOf(details.errorInstance),
  ].join('\n');
}

/** A wrong state says where it is; of another error the stack does. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.name === 'WrongState' ? `${error.name} ${error.message}` : (error.stack ?? error.message);
}
