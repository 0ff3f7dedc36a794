import { relative } from 'node:path';
import type { TestCase, TestModule, TestSuite } from 'vitest/node';

/** A test that ran or was skipped, or a file, a hook or a run that failed outside of any test. */
export interface Outcome {
  readonly project: string;
  /** The path from the root of the checkout. */
  readonly file: string;
  /** The titles of its describes and its own, parted by spaces; empty where it was no test. */
  readonly name: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly errors: readonly string[];
  /** When it ran, in milliseconds; none where that is not known. */
  readonly ran?: { readonly from: number; readonly to: number } | undefined;
}

/** The part of vitest's report of a file that is read. */
export type Module = Pick<TestModule, 'project' | 'moduleId' | 'state' | 'errors' | 'children'>;

/** Every test of the files, and one failure for each file that failed without a failed test (a hook, an import). */
export function outcomesOf(modules: readonly Module[], root: string): readonly Outcome[] {
  return modules.flatMap((module) => {
    const at = { project: module.project.name, file: relative(root, module.moduleId) };
    const tests = [...module.children.allTests()].map((test) => outcomeOf(test, at));
    if (module.state() !== 'failed' || tests.some(({ state }) => state === 'failed')) return tests;
    const suites = [...module.children.allSuites()].flatMap((suite) => suite.errors());
    const errors = [...module.errors(), ...suites].map(textOf);
    return [...tests, { ...at, name: '', state: 'failed' as const, errors }];
  });
}

function outcomeOf(test: TestCase, at: Pick<Outcome, 'project' | 'file'>): Outcome {
  const { state, errors = [] } = test.result();
  const diagnostic = test.diagnostic();
  const ran = diagnostic && { from: diagnostic.startTime, to: diagnostic.startTime + diagnostic.duration };
  return {
    ...at,
    name: titlesOf(test).join(' '),
    // One that is still pending when all is over was never run, as where its file ended before.
    state: state === 'pending' ? 'failed' : state,
    errors: errors.map(textOf),
    ran,
  };
}

function titlesOf(one: TestCase | TestSuite): readonly string[] {
  return one.parent.type === 'module' ? [one.name] : [...titlesOf(one.parent), one.name];
}

function textOf({ stack, message }: { readonly stack?: string; readonly message: string }): string {
  return stack?.includes(message) ? stack : `${message}\n${stack ?? ''}`;
}

/** The closing line, in the form that counts in any language: `N passed, N failed`. */
export function closingLine(outcomes: readonly Outcome[]): string {
  const count = (state: Outcome['state']) => outcomes.filter((one) => one.state === state).length;
  const skipped = count('skipped');
  return `${count('passed')} passed, ${count('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** The seconds from the first test of these to the end of the last. */
export function secondsOf(outcomes: readonly Outcome[]): number {
  const ran = outcomes.flatMap((one) => one.ran ?? []);
  if (ran.length === 0) return 0;
  return (Math.max(...ran.map(({ to }) => to)) - Math.min(...ran.map(({ from }) => from))) / 1000;
}

/** What is shown of each failure: its message and the first frames, which name the line. */
const MAX_LINES = 12;

/** A text for the end of the run, where it is found: every failure with its project, file and message. */
export function listFailures(outcomes: readonly Outcome[]): string {
  return outcomes
    .filter(({ state }) => state === 'failed')
    .map(({ project, file, name, errors }) => {
      const where = [`✗ ${project}`, file, name].filter((part) => part !== '').join(': ');
      return [where, ...errors.map(shorten)].join('\n');
    })
    .join('\n\n');
}

function shorten(message: string): string {
  const lines = message.trim().split('\n').slice(0, MAX_LINES);
  return lines.map((line) => `    ${line.slice(0, 300)}`).join('\n');
}
