import { describe, expect, it } from 'vitest';
import { mutated } from './mutate.ts';
import { checkPurchases } from './run-purchases.ts';

const POOLS = 'functions/src/events/pools.ts';
const LOTS = 'functions/src/events/lots.ts';

const MUTANTS: readonly [name: string, file: string, right: string, wrong: string][] = [
  [
    'an allowance that every event begins anew',
    POOLS,
    'return before === undefined ? begun(each, now) : changed(before, each, now);',
    'return begun(each, now);',
  ],
  [
    'an allowance that goes on unpaid',
    POOLS,
    'until: periodEnd ?? state?.periodEnd ?? null,',
    'until: null,',
  ],
  [
    'terms that are told again and fill the period up',
    POOLS,
    'left: current.left + terms.amount - current.amount }',
    'left: terms.amount }',
  ],
  [
    'a pack that never expires',
    LOTS,
    'const expires = expiresAfterDays === undefined ? null : paid.at + expiresAfterDays * DAY;',
    'const expires = expiresAfterDays === undefined ? null : paid.at + 10_000 * DAY;',
  ],
];

describe('what people buy whose credits come by the clock', { timeout: 3_600_000 }, () => {
  it('is there as it was paid for, and never twice, in whatever order it is told', async () => {
    const { purchaseService } = await mutated('./purchase-service.ts', []);
    const seed = Number(process.env.MODEL_SEED ?? Date.now() & 0x7fffffff);
    const failure = await checkPurchases(purchaseService, {
      histories: Number(process.env.MODEL_HISTORIES ?? 100),
      seed,
      ...(process.env.MODEL_PATH !== undefined && { path: process.env.MODEL_PATH }),
    });
    expect(failure ?? 'all is there').toBe('all is there');
  });

  it.each(MUTANTS)('is found out by the model: %s', async (name, file, right, wrong) => {
    const { purchaseService } = await mutated('./purchase-service.ts', [{ file, right, wrong }]);
    const failure = await checkPurchases(purchaseService, { histories: 300, seed: 7, asFound: true });
    expect(failure, `the model did not notice: ${name}`).not.toBeNull();
    console.log(`--- ${name}: ${(failure ?? '').split('\n').find((line) => line.startsWith('Error: '))}`);
    expect(failure).toMatch(/\nError: /);
  });
});
