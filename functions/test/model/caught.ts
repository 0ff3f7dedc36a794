import { expect } from 'vitest';
import type { Opening } from './any-history.ts';
import { firstFailure } from './known-failures.ts';
import { type Mutation, mutatedService } from './mutate.ts';
import { checkModel } from './property.ts';

/** Where the model's histories begin: what they open with, and the seed. */
export type Start = readonly [opening: Opening, seed: number];

const HISTORIES_EACH = 60;

/**
 * The first failure of the model test with these mutations, as it was found; null when it noticed nothing. Several short
 * runs instead of a long one: what one start misses another finds at once.
 */
export async function failureOf(
  mutations: readonly Mutation[],
  starts: readonly Start[],
  histories = HISTORIES_EACH,
): Promise<string | null> {
  const service = await mutatedService(mutations);
  const looks = starts.map(([opening, seed]) => ({ opening, seed, histories }));
  return firstFailure(looks, async (look) => {
    const { failure } = await checkModel(service, { ...look, journeysEach: 4 });
    return failure;
  });
}

/**
 * Holds that a mutant was found, and prints how: by a wrong state. An error would only mean that it broke the model itself,
 * but where it is what the mutant does wrong, and then it says so.
 */
export function expectCaught(name: string, failure: string | null, error?: RegExp): void {
  expect(failure, `the model test did not notice: ${name}`).not.toBeNull();
  const text = failure ?? '';
  const wrong = text.split('\n').filter((line) => line.startsWith('  - '));
  if (error === undefined) expect(wrong, text).not.toEqual([]);
  else expect(text).toMatch(error);
  console.log(`--- ${name}: ${/failed after \d+ histories/.exec(text)}\n${wrong.join('\n')}`);
}
