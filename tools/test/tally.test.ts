import { expect, it } from 'vitest';
import type { TestCase } from 'vitest/node';
import { closingLine, listFailures, type Module, type Outcome, outcomesOf, secondsOf } from './tally.ts';

function outcome(changes: Partial<Outcome> = {}): Outcome {
  return { project: 'unit', file: 'a.test.ts', name: 'spends', state: 'passed', errors: [], ...changes };
}

type Title = readonly [name: string, state: 'passed' | 'failed' | 'skipped' | 'pending'];

/** As much of vitest's report of a file as is read. */
function report(
  state: 'passed' | 'failed',
  titles: readonly Title[],
  errors: readonly string[] = [],
): Module {
  const parent = { type: 'suite', name: 'the ledger', parent: { type: 'module' }, errors: () => [] };
  const tests = titles.map(([name, its]) => ({
    name,
    parent,
    result: () => ({
      state: its,
      errors: its === 'failed' ? [{ message: 'expected 1', stack: 'at x' }] : [],
    }),
    diagnostic: () => ({ startTime: 1_000, duration: 500 }),
  }));
  return {
    project: { name: 'unit' },
    moduleId: '/checkout/functions/a.test.ts',
    state: () => state,
    errors: () => errors.map((message) => ({ message })),
    children: {
      allTests: () => tests as unknown as Iterable<TestCase>,
      allSuites: () => [parent],
    },
  } as unknown as Module;
}

it('takes each test of a file with its describes, its times and why it failed', () => {
  const found = outcomesOf(
    [
      report('failed', [
        ['adds', 'passed'],
        ['ends', 'failed'],
      ]),
    ],
    '/checkout',
  );
  const at = { project: 'unit', file: 'functions/a.test.ts', ran: { from: 1_000, to: 1_500 } };
  expect(found).toEqual([
    { ...at, name: 'the ledger adds', state: 'passed', errors: [] },
    { ...at, name: 'the ledger ends', state: 'failed', errors: ['expected 1\nat x'] },
  ]);
});

it('counts a file that could not be loaded as a failure, although none of its tests ran', () => {
  const found = outcomesOf([report('failed', [], ['no such module'])], '/checkout');
  expect(found).toMatchObject([{ name: '', state: 'failed', errors: [expect.stringContaining('no such')] }]);
  expect(outcomesOf([report('failed', [['adds', 'failed']])], '/checkout')).toHaveLength(1);
});

it('counts a test that never ended as a failure', () => {
  expect(outcomesOf([report('passed', [['adds', 'pending']])], '/')).toMatchObject([{ state: 'failed' }]);
});

it('closes with all of them, and names skipped tests only when there are some', () => {
  const some = [outcome(), outcome({ state: 'failed' }), outcome()];
  expect(closingLine(some)).toBe('2 passed, 1 failed');
  expect(closingLine([...some, outcome({ state: 'skipped' })])).toBe('2 passed, 1 failed, 1 skipped');
});

it('measures from the first test to the end of the last', () => {
  const some = [{ from: 5_000, to: 6_000 }, { from: 1_000, to: 1_500 }, undefined].map((ran) =>
    outcome({ ran }),
  );
  expect(secondsOf(some)).toBe(5);
  expect(secondsOf([])).toBe(0);
});

it('lists each failure with its project, file, name and the beginning of its message', () => {
  const stack = Array.from({ length: 30 }, (_, at) => `    at frame ${at}`).join('\n');
  const failed = outcome({ state: 'failed', name: 'fails', errors: [`expected 1 to be 2\n${stack}`] });
  const listed = listFailures([outcome(), failed, outcome({ state: 'failed', file: '', name: 'broken' })]);
  expect(listed).toMatch(/^✗ unit: a\.test\.ts: fails\n {4}expected 1 to be 2\n/);
  expect(listed).toMatch(/✗ unit: broken$/);
  expect(listed).not.toContain('spends');
  expect(listed).not.toContain('frame 20');
  expect(listFailures([outcome()])).toBe('');
});
