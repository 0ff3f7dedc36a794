import type { PhaseResult } from './run-phase.ts';
import type { VitestReport } from './tally.ts';

/** What is shown of each failure: its message and the first frames, which name the line. */
const LINES = 12;

/**
 * A text for the end of the run, where it is found: every failed test with its phase, file and message. Of a phase that
 * failed in another way, as by an error that no test waited for, where its output tells of that, or else its end.
 */
export function listFailures(results: readonly PhaseResult[], root: string): string {
  return results
    .filter(({ tally }) => tally.failed > 0)
    .flatMap(({ name, report, output }) => {
      const failures = failedTests(report, root);
      const told = failures.length > 0 ? failures : [`not by a test of its own\n${endOf(output ?? '')}`];
      return told.map((failure) => `✗ ${name}: ${failure}`);
    })
    .join('\n\n');
}

function endOf(output: string): string {
  const errors = output.indexOf('Unhandled Errors');
  return shorten(errors === -1 ? output.split('\n').slice(-LINES).join('\n') : output.slice(errors));
}

function failedTests(report: VitestReport | undefined, root: string): readonly string[] {
  return (report?.testResults ?? []).flatMap((file) => {
    const path = file.name.replace(`${root}/`, '');
    const failed = file.assertionResults.filter(({ status }) => status === 'failed');
    if (file.status === 'failed' && failed.length === 0) return [`${path}\n${shorten(file.message ?? '')}`];
    return failed.map(
      ({ fullName, failureMessages }) =>
        `${path}: ${fullName}\n${shorten((failureMessages ?? []).join('\n'))}`,
    );
  });
}

function shorten(message: string): string {
  const lines = message.trim().split('\n');
  return lines
    .slice(0, LINES)
    .map((line) => `    ${line.slice(0, 300)}`)
    .join('\n');
}
