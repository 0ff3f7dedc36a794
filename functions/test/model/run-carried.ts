import fc from 'fast-check';
import type { Carries, playCarried, Wave } from './carried-world.ts';
import { type Look, play } from './play.ts';

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

/** Plays versions that clients carry to any instance. Returns the first failure; null if there is none. */
export function checkCarried(playWaves: typeof playCarried, look: Look): Promise<string | null> {
  const property = fc.asyncProperty(
    fc.array(anyWave, { minLength: 1, maxLength: 12, size: 'max' }),
    async (waves) => {
      const failure = await playWaves(waves);
      if (failure !== null) throw new Error(failure);
    },
  );
  return play('carried', property, look, (waves) => waves.map((wave) => `  ${JSON.stringify(wave)}`));
}
