import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkNamedTests, DOCUMENTS, missingTests, phaseOf, readNamedTests } from './named-tests.ts';
import { PHASES } from './phases.ts';
import type { Outcome } from './tally.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

const SPECIFICATION = [
  'What the service does',
  'Resources and their fields',
  'States and transitions',
  'Credit balance moves',
  'Endpoints',
  'Authentication',
  'Events',
  'Errors',
  'Limits',
];

describe.each(DOCUMENTS.filter((path) => existsSync(new URL(path, root))))('%s', (path) => {
  const text = read(path);
  const rows = readNamedTests(text);

  it('names a test in every row of its tables of tests', () => {
    const tables = text.match(/^\| .* \| test \|\n(?:\| --- )+\|\n(?:\|.*\n?)+/gm) ?? [];
    const lines = tables.flatMap((table) => table.trim().split('\n').slice(2));
    expect(lines.length).toBeGreaterThan(20);
    expect(rows).toHaveLength(lines.length);
  });

  it.each(rows)('$what: names a test in $file', ({ file, name }) => {
    expect(existsSync(new URL(file, root)), `${file} is gone`).toBe(true);
    expect(PHASES.map((phase) => phase.name)).toContain(phaseOf(file));
    expect(name).not.toBe('');
  });
});

it('the README says what never ran, and leads to what stands in for it', () => {
  const [limits = ''] = /^## Limits that you should know$[\s\S]*/m.exec(read('README.md')) ?? [];
  expect(limits).toMatch(/live Stripe account .* deployed Firebase project.* macOS or Windows/);
  expect(limits).toContain('(docs/production-differences.md)');
});

it('has every part of the specification that states a rule', () => {
  const headings = [...read('docs/specification-tests.md').matchAll(/^## (.+)$/gm)].map(([, title]) => title);
  expect(headings).toEqual(expect.arrayContaining(SPECIFICATION));
});

describe('a test that a document names', () => {
  const row = { what: 'a rule', file: 'a.test.ts', name: 'holds' };
  const ran = (...tests: readonly [string, Outcome['state']][]): readonly Outcome[] =>
    tests.map(([name, state]) => ({ project: 'unit', file: 'a.test.ts', name, state, errors: [] }));
  const missing = (outcomes: readonly Outcome[], name = row.name) =>
    missingTests([{ ...row, name }], outcomes);

  it('has run and passed, in whatever describe', () => {
    expect(missing(ran(['the rule holds', 'passed']))).toEqual([]);
  });

  it('has not run: no such test, no such file, or no report', () => {
    expect(missing(ran(['another', 'passed']))).toEqual([
      '"a rule" names a.test.ts › holds, which did not run',
    ]);
    expect(missingTests([{ ...row, file: 'b.test.ts' }], ran(['holds', 'passed']))).toHaveLength(1);
    expect(missing([])).toHaveLength(1);
  });

  it('was skipped or failed, if only one of several of that name', () => {
    expect(missing(ran(['holds for a', 'passed'], ['holds for b', 'skipped']))).toEqual([
      '"a rule" names a.test.ts › holds, of which "holds for b" has skipped',
    ]);
    expect(missing(ran(['holds', 'failed']))).toHaveLength(1);
  });

  it('is no test when the row names none', () => {
    expect(missing(ran(['holds', 'passed']), '')).toEqual(['"a rule" names a.test.ts › , which is no test']);
  });

  it('belongs to the phase that its file says', () => {
    expect(['x.test.ts', 'x.emulator.test.ts', 'x.browser.test.ts', 'x.e2e.test.ts'].map(phaseOf)).toEqual([
      'unit',
      'emulator',
      'unit',
      'e2e',
    ]);
  });

  it('counts as one check of the run, of the phases that were asked for, and fails with each row', () => {
    const checkout = fileURLToPath(root);
    expect(checkNamedTests(checkout, [], [])).toMatchObject([{ project: 'documents', state: 'passed' }]);
    const failures = checkNamedTests(checkout, ['unit'], []);
    expect(failures.length).toBeGreaterThan(20);
    expect(new Set(failures.map(({ state }) => state))).toEqual(new Set(['failed']));
  });
});
