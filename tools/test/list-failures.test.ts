import { expect, it } from 'vitest';
import { listFailures } from './list-failures.ts';
import type { PhaseResult } from './run-phase.ts';
import { NOTHING, type VitestReport } from './tally.ts';

type File = VitestReport['testResults'][number];

const emulator = (...testResults: File[]): PhaseResult => ({
  name: 'emulator',
  tally: { ...NOTHING, failed: 1 },
  seconds: 1,
  report: { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults },
});

it('names each failed test with its phase and file, and the beginning of its message', () => {
  const stack = Array.from({ length: 30 }, (_, at) => `    at frame ${at}`).join('\n');
  const listed = listFailures(
    [
      emulator({
        name: '/checkout/functions/spend.test.ts',
        status: 'failed',
        assertionResults: [
          { fullName: 'spending works', status: 'passed', failureMessages: [] },
          { fullName: 'spending fails', status: 'failed', failureMessages: [`expected 1 to be 2\n${stack}`] },
        ],
      }),
    ],
    '/checkout',
  );
  expect(listed).toMatch(/^✗ emulator: functions\/spend\.test\.ts: spending fails\n {4}expected 1 to be 2\n/);
  expect(listed).not.toContain('spending works');
  expect(listed).not.toContain('frame 20');
});

it('names a file that could not be loaded', () => {
  const broken: File = {
    name: '/checkout/a.test.ts',
    status: 'failed',
    message: 'no such module',
    assertionResults: [],
  };
  expect(listFailures([emulator(broken)], '/checkout')).toBe('✗ emulator: a.test.ts\n    no such module');
});

it('quotes a phase that failed without a failed test: what nobody waited for, or else its end', () => {
  const passed: File = { name: '/checkout/a.test.ts', status: 'passed', assertionResults: [] };
  const unhandled = `✓ all well\n─ Unhandled Errors ─\nError: base version\n${'frame\n'.repeat(40)}`;
  const lint: PhaseResult = {
    name: 'lint',
    tally: { ...NOTHING, failed: 1 },
    seconds: 1,
    output: 'a.ts: unused',
  };
  const listed = listFailures([{ ...emulator(passed), output: unhandled }, lint], '/checkout');
  expect(listed).toContain(
    '✗ emulator: not by a test of its own\n    Unhandled Errors ─\n    Error: base version',
  );
  expect(listed).not.toContain('all well');
  expect(listed).toMatch(/✗ lint: not by a test of its own\n {4}a\.ts: unused$/);
});

it('has nothing to say of a run that passed', () => {
  const passed: File = { name: '/checkout/a.test.ts', status: 'passed', assertionResults: [] };
  const check: PhaseResult = { name: 'lint', tally: NOTHING, seconds: 1 };
  const fine: PhaseResult = { ...emulator(passed), tally: NOTHING };
  expect(listFailures([fine, check], '/checkout')).toBe('');
});
