import { expect, it } from 'vitest';
import type { Opening } from './any-history.ts';
import { mutatedService } from './mutate.ts';
import { checkModel } from './property.ts';

const number = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

const OPENINGS: readonly Opening[] = ['import', 'changes', 'disputes', 'by_hand'];
const asked = process.env.MODEL_OPENING as Opening | undefined;
const begun: readonly (readonly [Opening, number])[] =
  asked === undefined
    ? [
        ['any', 80],
        ['disputes', 25],
      ]
    : [[OPENINGS.includes(asked) ? asked : 'any', 250]];

it.each(begun)(
  '%s histories in any order, with repeats, twins and requests between, end in the record of the truth',
  {
    timeout: 3_600_000,
  },
  async (opening, histories) => {
    const run = {
      opening,
      histories: number('MODEL_HISTORIES', histories),
      journeysEach: number('MODEL_JOURNEYS', 4),
      seed: number('MODEL_SEED', Date.now() & 0x7fffffff),
      ...(process.env.MODEL_PATH !== undefined && { path: process.env.MODEL_PATH }),
    };
    const started = Date.now();
    const { failure, ...counts } = await checkModel(await mutatedService([]), run);
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    const figures = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
    console.log(`model: ${opening}, seed ${run.seed}, ${figures.join(', ')}, ${seconds} s`);
    expect(failure ?? 'all histories end right').toBe('all histories end right');
    expect(counts.journeys).toBe('path' in run ? counts.journeys : run.histories * run.journeysEach);
  },
);
