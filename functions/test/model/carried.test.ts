import { expect, it } from 'vitest';
import { mutated } from './mutate.ts';
import { checkCarried } from './run-carried.ts';

it('carried versions spend what is there and no more, whoever carries what to which instance', async () => {
  const { playCarried } = await mutated('./carried-world.ts', []);
  const seed = Number(process.env.MODEL_SEED ?? Date.now() & 0x7fffffff);
  const histories = Number(process.env.MODEL_HISTORIES ?? 75);
  expect(await checkCarried(playCarried, { histories, seed })).toBeNull();
}, 3_600_000);
