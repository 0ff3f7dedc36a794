import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface LintFinding {
  readonly code: string;
  readonly message: string;
  readonly file: string;
}

/**
 * Lints an extension built for Firefox with addons-linter, which `web-ext lint` runs: manifest, unsafe calls, remote code.
 *
 * @returns errors and warnings alike
 * @throws Error when the linter itself fails.
 */
export async function lintBuilt(dist: string): Promise<LintFinding[]> {
  const report = await runLinter(dist);
  return [...report.errors, ...report.warnings].map(({ code, message, file }) => ({ code, message, file }));
}

/**
 * React sets innerHTML for `dangerouslySetInnerHTML` and to make script elements, which nothing here uses. The two lines
 * are in every extension with React, and Mozilla's reviewers know them.
 */
export const LINES_OF_REACT = ['UNSAFE_VAR_ASSIGNMENT', 'UNSAFE_VAR_ASSIGNMENT'];

interface LintReport {
  readonly errors: readonly LintFinding[];
  readonly warnings: readonly LintFinding[];
}

function runLinter(dist: string): Promise<LintReport> {
  const linter = fileURLToPath(
    new URL('../../node_modules/addons-linter/bin/addons-linter', import.meta.url),
  );
  return new Promise((resolve, reject) => {
    // It exits with 1 where it has found an error: the report is what counts.
    execFile(process.execPath, [linter, join(dist), '--output', 'json'], (error, stdout) => {
      try {
        resolve(JSON.parse(stdout));
      } catch {
        reject(new Error(`The linter failed: ${error?.message ?? stdout}`));
      }
    });
  });
}
