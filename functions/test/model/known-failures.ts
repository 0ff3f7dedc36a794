import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect } from 'vitest';
import type { Opening } from './any-history.ts';

/** A model's random histories from one seed on. */
export interface Look {
  readonly seed: number;
  readonly histories: number;
  /** What they begin with, in the model that has several beginnings. */
  readonly opening?: Opening;
  /** Which of them comes first, as fast-check counts; the first of all where it is not said. */
  readonly path?: string;
  /** Whether the first failure is answered as it was found, without looking for a smaller one. */
  readonly asFound?: boolean;
}

type Known = readonly [seed: number, path: string, opening?: Opening];

/**
 * The history that finds each mutant, by test file and test: it is played before all others. One that finds its mutant no
 * more, because histories are made otherwise now, costs time and nothing else; `MODEL_LEARN=1` with the tests of the mutants
 * writes the file again.
 */
const FILE = new URL('./known-failures.json', import.meta.url);
const known: Record<string, Record<string, Known>> = JSON.parse(readFileSync(FILE, 'utf8'));
const isLearning = process.env.MODEL_LEARN === '1';

/**
 * The first failure that this test's mutant makes in these histories, the one that is known first; null where it makes none.
 *
 * @param check plays histories, and answers a failure with the path that replays it
 */
export async function firstFailure(
  looks: readonly Look[],
  check: (look: Look) => Promise<string | null>,
): Promise<string | null> {
  const { testPath = '', currentTestName = '' } = expect.getState();
  const [file, test] = [basename(testPath), currentTestName.split(' > ').at(-1) ?? ''];
  const [seed, path, opening] = known[file]?.[test] ?? [];
  const look = looks.find((each) => each.seed === seed && each.opening === opening);
  if (!isLearning && look !== undefined && path !== undefined) {
    const failure = await check({ ...look, path, histories: 1, asFound: true });
    if (failure !== null) return failure;
    console.log(`${test}: the known history finds it no more (MODEL_LEARN=1 looks for another)`);
  }
  for (const each of looks) {
    const failure = await check({ ...each, asFound: true });
    if (failure === null) continue;
    if (isLearning) learn(file, test, each, failure);
    return failure;
  }
  return null;
}

function learn(file: string, test: string, { seed, opening }: Look, failure: string): void {
  const path = /\bpath:? "?(\d+)/.exec(failure)?.[1];
  if (path === undefined) throw new Error(`no path that replays it: ${failure}`);
  known[file] = { ...known[file], [test]: opening === undefined ? [seed, path] : [seed, path, opening] };
  writeFileSync(FILE, `${JSON.stringify(known, null, 2)}\n`);
}
