import { describe, expect, it } from 'vitest';
import { firstFailure } from './known-failures.ts';
import { mutated } from './mutate.ts';
import { checkClock } from './run-clock.ts';

/** Wrong ways to let the clock make credits: the clock's model has to fail for every one of them (as in mutants.test.ts). */

const SCHEDULE = 'packages/contract/src/schedule.ts';
const CREDITS = 'packages/contract/src/credits.ts';
const DECIDE = 'functions/src/credits/decide.ts';
const COMMIT = 'functions/src/credits/commit.ts';

const MUTANTS: readonly [name: string, file: string, right: string, wrong: string][] = [
  [
    'a month after the 31st that runs into the next',
    SCHEDULE,
    'Math.min(day - firstDayOf(month), lastOfMonth)',
    '(day - firstDayOf(month))',
  ],
  [
    'a period that is begun at every look',
    SCHEDULE,
    'if (start <= pool.period) return pool;',
    'if (start < pool.period) return pool;',
  ],
  [
    'credits that roll over without a cap',
    SCHEDULE,
    'Math.min(pool.rollover ?? 0, pool.left + skipped * amount)',
    '(pool.rollover === undefined ? 0 : pool.left + skipped * amount)',
  ],
  [
    'a period in which nobody looked that carries nothing over',
    SCHEDULE,
    'pool.left + skipped * amount)',
    '(skipped > 0 ? 0 : pool.left))',
  ],
  [
    'periods that begin after what is paid',
    SCHEDULE,
    'const at = until === null ? now : Math.min(now, until - 1);',
    'const at = now;',
  ],
  [
    'credits that do not end',
    SCHEDULE,
    'return begun.left > 0 && end !== null && now >= end ? { ...begun, left: 0 } : begun;',
    'return begun;',
  ],
  ['a last period without its grace', SCHEDULE, 'return until + grace;', 'return end;'],
  [
    'a limit that nothing is counted in',
    SCHEDULE,
    'credits: before.credits + credits };',
    'credits: before.credits };',
  ],
  [
    'a limit whose window never ends',
    SCHEDULE,
    'return start > known.start ? { start, credits: 0 } : known;',
    'return known;',
  ],
  [
    'credits that end last, spent first',
    CREDITS,
    'return isLater(one, other) ? 1 : -1;',
    'return isLater(one, other) ? -1 : 1;',
  ],
  [
    'a period that the ledger does not have',
    DECIDE,
    'const all = period === null ? entries : [...entries, period];',
    'const all = entries;',
  ],
  [
    'a settle that takes what another reservation holds',
    DECIDE,
    'hold.credits + Math.min(beyond, available(credits, now, free))',
    'hold.credits + beyond',
  ],
  [
    'a record that another instance has written meanwhile',
    COMMIT,
    'batch.update(customer, fields, { lastUpdateTime: builtOn })',
    'batch.update(customer, fields)',
  ],
];

describe('the clock’s model catches', { timeout: 60_000 }, () => {
  it.each(MUTANTS)('%s', async (name, file, right, wrong) => {
    const { clockService } = await mutated('./clock-service.ts', [{ file, right, wrong }]);
    const failure = await firstFailure([{ histories: 600, seed: 11 }], async (look) => {
      const { failure } = await checkClock(clockService, look);
      return failure;
    });
    expect(failure, `the model did not notice: ${name}`).not.toBeNull();
    const said = (failure ?? '').split('\n').find((line) => /^ {2}- |^Error: /.test(line)) ?? failure;
    console.log(`--- ${name}: ${said}`);
    // Another error than a wrong state would mean that the mutant broke the model itself.
    expect(failure).toMatch(/\n(?:Error: |AssertionError)/);
  });
});
