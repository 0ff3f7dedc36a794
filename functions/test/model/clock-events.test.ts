import { describe, expect, it } from 'vitest';
import { firstFailure } from './known-failures.ts';
import { mutated } from './mutate.ts';
import { checkPurchases } from './run-purchases.ts';

const POOLS = 'functions/src/events/pools.ts';
const DERIVE = 'functions/src/events/derive.ts';
const FACTS = 'functions/src/events/facts.ts';
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
    'a raise that waits for the next period',
    POOLS,
    'left: current.left + terms.amount - current.amount }',
    'left: current.left }',
  ],
  [
    'a change that is given as a second allowance',
    POOLS,
    'left: current.left + terms.amount - current.amount }',
    'left: current.left + (terms.amount === current.amount ? 0 : terms.amount) }',
  ],
  [
    'a dearer plan by the clock that brings nothing before it is renewed',
    DERIVE,
    'isServed(status) && dearer ? dearer : grant',
    'isServed(status) && dearer ? grant : grant',
  ],
  [
    'a cheaper plan by the clock that takes at once',
    FACTS,
    'return one > other || (one === other && textOf(a.terms) > textOf(b.terms));',
    'return true;',
  ],
  [
    'plans compared by the credits of a period, whatever its length',
    FACTS,
    'const length = ({ every }: ClockTerms) => periodAt(0, every, 0).end;',
    'const length = (_: ClockTerms) => 1;',
  ],
  [
    'a raise that lasts beyond the period it was paid in',
    DERIVE,
    `plan.from === periodStart &&
      (plan.until ?? periodEnd) === (periodEnd ?? plan.until) &&`,
    '',
  ],
  [
    'what was taken away, back in full',
    POOLS,
    'return before === undefined ? begun(each, now) : changed(before, each, now);',
    'return before === undefined || before.left < 0 ? begun(each, now) : changed(before, each, now);',
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
    // One seed misses what another finds at once.
    const looks = [7, 1, 2, 3].map((seed) => ({ seed, histories: 150 }));
    const failure = await firstFailure(looks, (look) => checkPurchases(purchaseService, look));
    expect(failure, `the model did not notice: ${name}`).not.toBeNull();
    console.log(`--- ${name}: ${(failure ?? '').split('\n').find((line) => line.startsWith('Error: '))}`);
    expect(failure).toMatch(/\nError: /);
  });
});
