import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What the linter of Mozilla's store finds, and which of it says nothing about an extension for Chromium. */
const NOT_FOR_CHROMIUM: Readonly<Record<string, string>> = {
  BACKGROUND_SERVICE_WORKER_NOFALLBACK: 'Firefox has no service workers in extensions',
  ADDON_ID_REQUIRED: 'the id comes from the Web Store, or from the manifest’s key',
  MISSING_DATA_COLLECTION_PERMISSIONS: 'a key of Firefox’s manifest',
  IDENTITY_GETREDIRECTURL: 'about temporary add-ons in Firefox',
  RUNTIME_ONMESSAGEEXTERNAL: 'about temporary add-ons in Firefox',
};
/** A permission of Chromium that Firefox does not know. */
const CHROMIUM_PERMISSION = /Invalid permissions "sidePanel"/;

export interface LintFinding {
  readonly code: string;
  readonly message: string;
  readonly file: string;
}

/**
 * Lints a built extension with addons-linter, which `web-ext lint` runs: manifest, unsafe calls, remote code.
 *
 * @returns what it found that concerns an extension for this browser, errors and warnings alike.
 * @throws Error when the linter itself fails.
 */
export async function lintBuilt(dist: string, browser: 'chromium' | 'firefox'): Promise<LintFinding[]> {
  const report = await runLinter(dist);
  return [...report.errors, ...report.warnings]
    .filter(
      ({ code, message }) =>
        browser === 'firefox' ||
        (!Object.hasOwn(NOT_FOR_CHROMIUM, code) && !CHROMIUM_PERMISSION.test(message)),
    )
    .map(({ code, message, file }) => ({ code, message, file }));
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
