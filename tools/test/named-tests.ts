import { relative } from 'node:path';
import type { VitestReport } from './tally.ts';

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

/** The project of vitest, which is a phase of `npm test`, that a test file belongs to. */
export function phaseOf(file: string): string {
  return /\.(emulator|e2e|suite|cli)\.test\.tsx?$/.exec(file)?.[1] ?? 'unit';
}

/**
 * Looks for every named test in what the phases reported. A row holds when at least one test of that file
 * has that name, and every one that has it passed.
 *
 * @param root the checkout's folder, as the reports name their files by absolute paths.
 * @returns a sentence for each row that does not hold.
 */
export function missingTests(
  rows: readonly NamedTest[],
  reports: readonly VitestReport[],
  root: string,
): readonly string[] {
  const ran = new Map<string, { readonly fullName: string; readonly status: string }[]>();
  for (const { name, assertionResults } of reports.flatMap(({ testResults }) => testResults)) {
    const file = relative(root, name);
    ran.set(file, [...(ran.get(file) ?? []), ...assertionResults]);
  }
  return rows.flatMap(({ what, file, name }) => {
    const row = `"${what}" names ${file} › ${name}`;
    if (name === '') return [`${row}, which is no test`];
    const found = ran.get(file)?.filter(({ fullName }) => fullName.includes(name)) ?? [];
    if (found.length === 0) return [`${row}, which did not run`];
    const bad = found.find(({ status }) => status !== 'passed');
    return bad === undefined ? [] : [`${row}, of which "${bad.fullName}" has ${bad.status}`];
  });
}
