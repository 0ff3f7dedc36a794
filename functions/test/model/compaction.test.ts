import { describe, expect, it } from 'vitest';
import { mutatedService } from './mutate.ts';
import { checkModel } from './property.ts';

describe('a ledger that is compacted', { timeout: 3_600_000 }, () => {
  it('answers, adds up and shows as before, whenever and by however many it is done, and wherever it dies', async () => {
    const seed = Number(process.env.MODEL_SEED ?? Date.now() & 0x7fffffff);
    const { failure } = await checkModel(await mutatedService([]), {
      histories: Number(process.env.MODEL_HISTORIES ?? 40),
      journeysEach: 3,
      seed,
      compacts: true,
      ...(process.env.MODEL_PATH !== undefined && { path: process.env.MODEL_PATH }),
    });
    expect(failure ?? 'all is there').toBe('all is there');
  });
});
