import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Carries, Wave } from './carried-world.ts';
import { type Mutation, mutated } from './mutate.ts';

/**
 * Versions that clients carry, in random histories on the service's own code. More of them:
 * CARRIED_RUNS=100000 npx vitest run --project unit functions/test/model/carried
 */
const RUNS = Number(process.env.CARRIED_RUNS ?? 150);
const SEED = Number(process.env.CARRIED_SEED ?? Date.now() & 0x7fffffff);

const anyCarries = fc.constantFrom<Carries>('newest', 'newest', 'newest', 'old', 'others', 'changed', 'none');
const anyWave: fc.Arbitrary<Wave> = fc.record({
  passes: fc.constantFrom(0, 1_000, 59_000, 300_000, 700_000),
  topUps: fc.array(fc.record({ user: fc.nat(2), credits: fc.integer({ min: 1, max: 20 }) }), {
    maxLength: 1,
  }),
  steps: fc.array(
    fc.record({
      ...{ user: fc.nat(2), instance: fc.nat(3), cost: fc.integer({ min: 1, max: 4 }) },
      ...{ carries: anyCarries, pick: fc.nat(500) },
    }),
    { minLength: 1, maxLength: 6 },
  ),
});

async function firstFailure(
  mutations: readonly Mutation[],
  run: { readonly runs: number; readonly seed: number },
): Promise<string | null> {
  const { playCarried } = await mutated('./carried-world.ts', mutations);
  let failure: string | null = null;
  const waves = fc.array(anyWave, { minLength: 1, maxLength: 12, size: 'max' });
  const property = fc.asyncProperty(waves, async (played) => {
    failure = await playCarried(played);
    return failure === null;
  });
  const { failed, errorInstance } = await fc.check(property, {
    ...{ numRuns: run.runs, seed: run.seed, endOnFailure: true },
  });
  if (!failed) return null;
  return failure ?? String(errorInstance);
}

it('spend what is there and no more, whoever carries what to which instance', async () => {
  expect(await firstFailure([], { runs: RUNS, seed: SEED }), `seed ${SEED}`).toBeNull();
}, 3_600_000);

const VERSIONS = 'functions/src/credits/versions.ts';
const COMMIT = 'functions/src/credits/commit.ts';

describe('the property notices', { timeout: 120_000 }, () => {
  it.each([
    [
      'a version that is not its user’s own',
      VERSIONS,
      'decipher.setAAD(Buffer.from(uid)).setAuthTag',
      "decipher.setAAD(Buffer.from('')).setAuthTag",
      "cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(uid));",
      "cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(''));",
    ],
    [
      'a write on a version that it does not name',
      COMMIT,
      'batch.update(customer, fields, { lastUpdateTime: builtOn })',
      'batch.update(customer, fields)',
    ],
    [
      'a refusal by what is carried alone',
      COMMIT,
      'return decided.decisions.every(isGuarded) ? decided : null;',
      'return decided;',
    ],
  ])('%s', async (_, file, ...exchanged) => {
    const mutations: Mutation[] = [];
    for (let at = 0; at < exchanged.length; at += 2) {
      mutations.push({ file, right: exchanged[at] ?? '', wrong: exchanged[at + 1] ?? '' });
    }
    expect(await firstFailure(mutations, { runs: 600, seed: 3 })).toMatch(/wave \d|ledgers/);
  });
});
