import { expect, test } from 'vitest';
import { chooseStages, PHASES, STAGES } from './phases.ts';
import {
  closingLine,
  NOTHING,
  SKIPPED,
  sum,
  tallyOfStatus,
  tallyOfVitest,
  type VitestReport,
} from './tally.ts';

function report(changes: Partial<VitestReport> = {}): VitestReport {
  return {
    numPassedTests: 3,
    numFailedTests: 0,
    numPendingTests: 0,
    numTodoTests: 0,
    testResults: [],
    ...changes,
  };
}

test('a run of tests counts each of them', () => {
  expect(tallyOfVitest(report({ numFailedTests: 2, numPendingTests: 1, numTodoTests: 1 }), 1)).toEqual({
    passed: 3,
    failed: 2,
    skipped: 2,
  });
});

test('a file that could not be loaded is a failure, although none of its tests ran', () => {
  const file = (status: string, ...statuses: readonly string[]) => ({
    name: '/a.test.ts',
    status,
    assertionResults: statuses.map((one) => ({ fullName: 'a test', status: one })),
  });
  const testResults = [file('failed'), file('failed', 'failed', 'passed'), file('passed', 'passed')];
  expect(tallyOfVitest(report({ numFailedTests: 1, testResults }), 1).failed).toBe(2);
});

test('a run that fails without a failed test, or leaves no report, is a failure', () => {
  expect(tallyOfVitest(report(), 1)).toEqual({ passed: 3, failed: 1, skipped: 0 });
  expect(tallyOfVitest(undefined, 0)).toEqual({ ...NOTHING, failed: 1 });
});

test('a check counts as one', () => {
  expect(tallyOfStatus(0)).toEqual({ ...NOTHING, passed: 1 });
  expect(tallyOfStatus(2)).toEqual({ ...NOTHING, failed: 1 });
  expect(tallyOfStatus(SKIPPED)).toEqual({ ...NOTHING, skipped: 1 });
});

test('the closing line adds up all phases, and names skipped tests only when there are some', () => {
  const total = sum([tallyOfStatus(0), tallyOfStatus(1), { passed: 40, failed: 0, skipped: 0 }]);
  expect(closingLine(total)).toBe('41 passed, 1 failed');
  expect(closingLine({ ...total, skipped: 2 })).toBe('41 passed, 1 failed, 2 skipped');
});

test('all phases run unless some are named, always in the same stages', () => {
  expect(chooseStages([])).toEqual(STAGES);
  const names = chooseStages(['e2e', 'suite', 'lint']).map((stage) =>
    stage.map((lane) => lane.map(({ name }) => name)),
  );
  expect(names).toEqual([[['e2e'], ['lint', 'suite']]]);
});

test('what is timed gives way to nothing, and what is held to the traffic comes after all that makes it', () => {
  const names = STAGES.map((stage) => stage.map((lane) => lane.map(({ name }) => name)));
  expect(names[0]?.[0]).toEqual(['emulator', 'contract', 'e2e']);
  expect(names.at(-1)).toEqual([['traffic', 'queries']]);
  expect(new Set(names.flat(2)).size).toBe(PHASES.length);
});

test('a phase that does not exist is refused', () => {
  expect(() => chooseStages(['units'])).toThrow(
    'There is no phase "units"; there are emulator, contract, e2e',
  );
});
