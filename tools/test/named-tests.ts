import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome } from './tally.ts';

/** The documents that promise something and name the test that holds it. */
export const DOCUMENTS = [
  'docs/specification-tests.md',
  'docs/architecture.md',
  'docs/threat-model.md',
  'docs/production-differences.md',
];

/** One row of a table in the documents: what is promised, and the test that holds it. */
export interface NamedTest {
  readonly what: string;
  readonly file: string;
  /** A part of the test's full name: its describes and its own title, parted by spaces. */
  readonly name: string;
}

const ROW = /^\| (.+?) \| `([^`]+)` ›(.*?)\|$/gm;

/** The rows `| what | `file` › part of the test's name |` of a document. */
export function readNamedTests(text: string): readonly NamedTest[] {
  return [...text.matchAll(ROW)].map(([, what = '', file = '', name = '']) => ({
    what,
    file,
    name: name.trim(),
  }));
}

/** The phase of `npm test` that a test file belongs to. */
export function phaseOf(file: string): string {
  return /\.(emulator|e2e|suite|cli|adopters|firefox)\.test\.tsx?$/.exec(file)?.[1] ?? 'unit';
}

/**
 * Looks for every named test among those that ran. A row holds when at least one test of that file has that name, and
 * every one that has it passed.
 *
 * @returns a sentence for each row that does not hold.
 */
export function missingTests(rows: readonly NamedTest[], outcomes: readonly Outcome[]): readonly string[] {
  const ran = Map.groupBy(outcomes, ({ file }) => file);
  return rows.flatMap(({ what, file, name }) => {
    const row = `"${what}" names ${file} › ${name}`;
    if (name === '') return [`${row}, which is no test`];
    const found = ran.get(file)?.filter((one) => one.name.includes(name)) ?? [];
    if (found.length === 0) return [`${row}, which did not run`];
    const bad = found.find(({ state }) => state !== 'passed');
    return bad === undefined ? [] : [`${row}, of which "${bad.name}" has ${bad.state}`];
  });
}

/**
 * Holds the documents to what ran. Rows whose phase was not asked for are left out.
 *
 * @returns one outcome that passed, or a failure for every row that does not hold.
 */
export function checkNamedTests(
  root: string,
  phases: readonly string[],
  outcomes: readonly Outcome[],
): readonly Outcome[] {
  const failures = DOCUMENTS.filter((path) => existsSync(join(root, path))).flatMap((file) => {
    const rows = readNamedTests(readFileSync(join(root, file), 'utf8'));
    const expected = rows.filter((row) => phases.includes(phaseOf(row.file)));
    return missingTests(expected, outcomes).map((name) => ({ file, name }));
  });
  const one = { project: 'documents', file: '', name: 'the tests that they name ran', errors: [] };
  if (failures.length === 0) return [{ ...one, state: 'passed' }];
  return failures.map((failure) => ({ ...one, ...failure, state: 'failed' }));
}
