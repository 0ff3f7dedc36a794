/** What came of one phase of `npm test`. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The part of vitest's JSON report that is read. */
export interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    /** The file's absolute path. */
    readonly name: string;
    readonly status: string;
    /** Why the file could not be loaded. */
    readonly message?: string;
    readonly assertionResults: readonly {
      /** The titles of its describes and its own, parted by spaces. */
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

export const NOTHING: Tally = { passed: 0, failed: 0, skipped: 0 };

/** The exit status of a check that cannot be made on this machine, and has said why. */
export const SKIPPED = 77;

/** One check that holds or not: types, lint, contract, traffic. */
export function tallyOfStatus(status: number): Tally {
  if (status === SKIPPED) return { ...NOTHING, skipped: 1 };
  return status === 0 ? { ...NOTHING, passed: 1 } : { ...NOTHING, failed: 1 };
}

/**
 * Counts a vitest run. A file that failed without a failed test in it (it could not be loaded) counts as one
 * failure; so does a run that failed although no test did, or that left no report.
 */
export function tallyOfVitest(report: VitestReport | undefined, status: number): Tally {
  if (report === undefined) return { ...NOTHING, failed: 1 };
  const brokenFiles = report.testResults.filter(
    ({ status: fileStatus, assertionResults }) =>
      fileStatus === 'failed' && !assertionResults.some((result) => result.status === 'failed'),
  ).length;
  const failed = report.numFailedTests + brokenFiles;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && status !== 0 ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

export function sum(tallies: readonly Tally[]): Tally {
  return tallies.reduce(
    (total, one) => ({
      passed: total.passed + one.passed,
      failed: total.failed + one.failed,
      skipped: total.skipped + one.skipped,
    }),
    NOTHING,
  );
}

/** The closing line, in the form that counts in any language: `N passed, N failed`. */
export function closingLine({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
