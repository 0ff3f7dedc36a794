import { expect, it } from 'vitest';
import type { Opening } from './any-history.ts';
import { mutatedService } from './mutate.ts';
import { checkModel } from './property.ts';

const number = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

const OPENINGS: readonly Opening[] = ['import', 'changes', 'by_hand'];
const opening = process.env.MODEL_OPENING as Opening;

const run = {
  histories: number('MODEL_HISTORIES', 250),
  journeysEach: number('MODEL_JOURNEYS', 4),
  seed: number('MODEL_SEED', Date.now() & 0x7fffffff),
  ...(OPENINGS.includes(opening) && { opening }),
  ...(process.env.MODEL_PATH !== undefined && { path: process.env.MODEL_PATH }),
};

it('any order, with repeats, twins, consumes and reservations between, ends in the record that the truth makes', {
  timeout: 3_600_000,
}, async () => {
  const started = Date.now();
  const { failure, ...counts } = await checkModel(await mutatedService([]), run);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  const figures = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  console.log(`model: seed ${run.seed}, ${figures.join(', ')}, ${seconds} s`);
  expect(failure ?? 'all histories end right').toBe('all histories end right');
  expect(counts.journeys).toBe(run.path === undefined ? run.histories * run.journeysEach : counts.journeys);
});
