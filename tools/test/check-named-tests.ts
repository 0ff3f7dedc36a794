import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { missingTests, phaseOf, readNamedTests } from './named-tests.ts';
import type { PhaseResult } from './run-phase.ts';

/** The documents that promise something and name the test that holds it. */
export const DOCUMENTS = [
  'docs/specification-tests.md',
  'docs/architecture.md',
  'docs/threat-model.md',
  'docs/production-differences.md',
  'docs/faults-2026-11.md',
];

/**
 * Holds the documents to what ran: each test that they name must have run and passed. Rows whose phase was not
 * asked for are left out. Prints each row that does not hold.
 */
export function checkNamedTests(root: string, results: readonly PhaseResult[]): PhaseResult {
  const ran = new Set(results.map(({ name }) => name));
  const reports = results.flatMap(({ report }) => report ?? []);
  const missing = DOCUMENTS.filter((path) => existsSync(join(root, path))).flatMap((path) => {
    const rows = readNamedTests(readFileSync(join(root, path), 'utf8'));
    const expected = rows.filter(({ file }) => ran.has(phaseOf(file)));
    return missingTests(expected, reports, root).map((row) => `${path}: ${row}`);
  });
  for (const row of missing) console.log(row);
  // One check: it passes as a whole, and every row that does not hold is a failure of its own.
  const tally = { passed: missing.length === 0 ? 1 : 0, failed: missing.length, skipped: 0 };
  return { name: 'documents', tally, seconds: 0 };
}
