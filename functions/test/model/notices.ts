import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Mutation, mutated, type Worlds } from './mutate.ts';
import type { Look } from './play.ts';

/**
 * The history that finds each mutant: it is played first, and saves most of the time. If it doesn't find its mutant any
 * more, the search runs; `MODEL_LEARN=1` with the tests of the mutants writes the file again.
 */
const FILE = new URL('./known-failures.json', import.meta.url);
const known: Record<string, readonly [seed: number, path: string]> = JSON.parse(readFileSync(FILE, 'utf8'));
const isLearning = process.env.MODEL_LEARN === '1';

/** A wrong rule, by what is wrong with it. */
export type Mutant = readonly [name: string, mutation: Mutation];

/** A failure of the mutant's own code isn't a wrong state that the model noticed. */
const BROKEN = /\b(?:TypeError|ReferenceError)\b/;

/**
 * Holds that a model notices each wrong rule: otherwise the model proves nothing. Prints what each failure looked like.
 *
 * @param world where the service runs
 * @param looks several short runs: what one seed misses, another finds at once
 * @param check plays a look, and returns the failure
 */
export function describeMutants<World extends keyof Worlds>(
  model: string,
  world: World,
  looks: readonly Look[],
  check: (loaded: Worlds[World], look: Look) => Promise<string | null>,
  mutants: readonly Mutant[],
): void {
  describe(`${model} notices`, { timeout: 120_000 }, () => {
    it.each(mutants)('%s', async (name, mutation) => {
      const loaded = await mutated(world, [mutation]);
      const failure = await firstFailure(name, looks, (look) => check(loaded, look));
      expect(failure, `not noticed: ${name}`).not.toBeNull();
      expect(failure).not.toMatch(BROKEN);
      const wrong = (failure ?? '').split('\n').filter((line) => /^ {2}- |^\w*Error\b/.test(line));
      console.log(`--- ${name}\n${wrong.slice(0, 5).join('\n')}`);
    });
  });
}

async function firstFailure(
  name: string,
  looks: readonly Look[],
  check: (look: Look) => Promise<string | null>,
): Promise<string | null> {
  const [seed, path] = known[name] ?? [];
  const look = looks.find((each) => each.seed === seed);
  if (!isLearning && look !== undefined && path !== undefined) {
    const failure = await check({ ...look, path, histories: 1, asFound: true });
    if (failure !== null) return failure;
    console.log(`${name}: the known history finds it no more (MODEL_LEARN=1 looks for another)`);
  }
  for (const each of looks) {
    const failure = await check({ ...each, asFound: true });
    if (failure === null) continue;
    if (isLearning) learn(name, each, failure);
    return failure;
  }
  return null;
}

function learn(name: string, { seed }: Look, failure: string): void {
  const path = / --path (\d+)/.exec(failure)?.[1];
  if (path === undefined) throw new Error(`no path that replays it: ${failure}`);
  known[name] = [seed, path];
  // As the formatter has it: a mutant, a line.
  const lines = Object.entries(known).map(
    ([mutant, [from, at]]) => `  ${JSON.stringify(mutant)}: [${from}, "${at}"]`,
  );
  writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`);
}
