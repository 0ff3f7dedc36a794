import { expect, it } from 'vitest';
import { checkFree } from './free-property.ts';
import { mutated } from './mutate.ts';

it('free credits are never more than the catalogue says, for a person, a guest and a day', async () => {
  const { freeWorld } = await mutated('./free-world.ts', []);
  const seed = Number(process.env.MODEL_SEED ?? 5);
  const histories = Number(process.env.MODEL_HISTORIES ?? 100);
  expect(await checkFree(freeWorld, { histories, seed })).toBeNull();
}, 3_600_000);
