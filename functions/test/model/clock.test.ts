import { expect, it } from 'vitest';
import { mutated } from './mutate.ts';
import { checkClock } from './run-clock.ts';

it('at no instant more can be spent than the schedules allow, and record and ledger add up', {
  timeout: 3_600_000,
}, async () => {
  const seed = Number(process.env.MODEL_SEED ?? Date.now() & 0x7fffffff);
  const run = {
    histories: Number(process.env.MODEL_HISTORIES ?? 250),
    seed,
    ...(process.env.MODEL_PATH !== undefined && { path: process.env.MODEL_PATH }),
  };
  const { clockService } = await mutated('./clock-service.ts', []);
  const started = Date.now();
  const { failure, ...counts } = await checkClock(clockService, run);
  const figures = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  console.log(`clock: seed ${seed}, ${figures.join(', ')}, ${((Date.now() - started) / 1000).toFixed(1)} s`);
  expect(failure ?? 'all histories are right').toBe('all histories are right');
});
