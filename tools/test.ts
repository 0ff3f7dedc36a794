// npm test [-- <project…>]: runs the projects of vitest.config.ts, in two runs side by side. The last line counts all tests.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Environment,
  PORT_NAMES,
  readPorts,
  requireFreePorts,
  withFreePorts,
} from '../packages/cli/src/local/ports.ts';
import { answerHelp } from './args.ts';
import { findChromium } from './set-up/find-chromium.mjs';
import { buildFunction } from './suite/builds.ts';
import { endingSignal, Processes, statusOfFailure, statusOfSignal } from './suite/processes.ts';
import { TEST_CATALOG } from './test/test-catalog.ts';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

/** Tests that run one at a time, beside tests that compute: together they keep two cores busy. */
const SIDE_BY_SIDE = [
  ['emulator-alone', 'e2e'],
  ['emulator', 'lint', 'types', 'unit', 'unit-isolated', 'contract', 'suite'],
];
/** Only if named, or with `--all`: they take minutes, or need what only some machines can build. */
const ON_REQUEST = ['firefox', 'adopters', 'cli'];
/** Checks what the other tests sent to the simulator. */
const AFTERWARDS = ['traffic'];
const USUAL = [...SIDE_BY_SIDE.flat(), ...AFTERWARDS];
const ALL = [...USUAL, ...ON_REQUEST];

const USAGE = `usage: npm test [-- <project…>], or npm run test:all for every project
  ${ALL.join(', ')}
  "unit" and "emulator" also stand for unit-isolated and emulator-alone`;

/** How far apart the ports of the two suites are. */
const BESIDE = 500;

/** Returns the environment of a second suite. Throws an Error if one of its ports is taken. */
async function besideIt(first: Environment): Promise<Environment> {
  const unmoved = Object.entries(first).filter(([name]) => !/^BILLING_[A-Z]+_(PORT|OFFSET)$/.test(name));
  const offset = String(Number(first.BILLING_PORT_OFFSET ?? 0) + BESIDE);
  const second = { ...Object.fromEntries(unmoved), BILLING_PORT_OFFSET: offset };
  await requireFreePorts(readPorts(second), PORT_NAMES);
  return second;
}

/** The part of vitest's JSON report that is read. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

interface Result {
  readonly passed: number;
  readonly skipped: number;
  /** In words, with where. */
  readonly failures: readonly string[];
}

function readReport(file: string, projects: readonly string[], ended: unknown): Result {
  const { testResults }: Report = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { testResults: [] };
  const tests = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map((test) => ({ ...test, file: relative(root, name) })),
  );
  const failed = tests.filter(({ status }) => status === 'failed');
  const files = testResults
    .filter(({ status, assertionResults }) => status === 'failed' && !assertionResults.some(isFailed))
    .map(({ name, message }) => `✗ ${relative(root, name)}\n${message}`);
  const failures = [
    ...failed.map((test) => `✗ ${test.file}: ${test.fullName}\n${test.failureMessages.join('\n')}`),
    ...files,
  ];
  // Outside of any test: an error that nothing caught, or a run that was killed.
  if (ended !== 0 && failures.length === 0)
    failures.push(`✗ ${projects.join(', ')}: vitest ended with ${ended}`);
  return {
    passed: tests.filter(({ status }) => status === 'passed').length,
    skipped: tests.length - failed.length - tests.filter(({ status }) => status === 'passed').length,
    failures,
  };
}

function isFailed({ status }: { readonly status: string }): boolean {
  return status === 'failed';
}

/** Runs vitest and prints as it goes. */
async function runVitest(
  projects: readonly string[],
  environment: Environment,
  processes: Processes,
  reports: string,
): Promise<Result> {
  const report = join(reports, `${projects.join('-')}.json`);
  const words = ['run', ...projects.flatMap((project) => ['--project', project])];
  const reporting = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  // Pipes: on a terminal, vitest would move the cursor, and two runs share it.
  const child: ChildProcess = spawn('vitest', [...words, ...reporting], {
    ...{ cwd: root, env: environment, detached: true },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  processes.adopt(projects.join(' '), child, true);
  // Journeys in a browser have timeouts: what only computes gives way to them.
  if (child.pid !== undefined && projects.includes('unit')) setPriority(child.pid, 5);
  child.stdout?.pipe(process.stdout, { end: false });
  child.stderr?.pipe(process.stderr, { end: false });
  const [code, signal] = await once(child, 'close');
  return readReport(report, projects, code ?? signal);
}

async function runAll(chosen: readonly string[]): Promise<readonly Result[]> {
  const folder = join(root, '.suite', String(process.pid));
  const at = (name: string) => join(folder, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(at('reports'), { recursive: true });
  const processes = new Processes(folder, ['reports', 'traffic', 'compiled'].map(at));
  const recorded = {
    ...process.env,
    CHROMIUM: findChromium(process.env),
    PROVIDER_TRAFFIC: at('traffic'),
    // Hundreds of processes run the same programs.
    NODE_COMPILE_CACHE: at('compiled'),
    // The compiler and the bundler end before collecting garbage pays off.
    GOGC: '400',
  };
  try {
    const first = await withFreePorts(recorded);
    const environments = [first, await besideIt(first)];
    // Both runs need them: what is deployed, and what the suites serve.
    for (const catalog of [{}, { BILLING_CATALOG: TEST_CATALOG }]) await buildFunction(root, catalog);
    const results: Result[] = [];
    for (const runs of [SIDE_BY_SIDE, [ON_REQUEST], [AFTERWARDS]]) {
      const asked = runs
        .map((projects) => projects.filter((project) => chosen.includes(project)))
        .filter((projects) => projects.length > 0);
      const beside = asked.map((projects, index) =>
        runVitest(projects, environments[index] ?? first, processes, at('reports')),
      );
      results.push(...(await Promise.all(beside)));
    }
    return results;
  } finally {
    await processes.end();
  }
}

/** Returns the projects that the words name: without a word all but those on request. */
function choose(words: readonly string[]): readonly string[] {
  if (words.length === 0) return USUAL;
  if (words.length === 1 && words[0] === '--all') return ALL;
  const unknown = words.find((word) => !ALL.includes(word));
  if (unknown !== undefined) {
    console.error(`There is no project "${unknown}".\n\n${USAGE}`);
    process.exit(2);
  }
  return ALL.filter((project) => words.some((word) => project === word || project.startsWith(`${word}-`)));
}

async function main(words: readonly string[]): Promise<number> {
  answerHelp(words, USAGE);
  const chosen = choose(words);
  const started = Date.now();
  const ran = await Promise.race([runAll(chosen), endingSignal().received]);
  if (typeof ran === 'string') return statusOfSignal(ran);
  const failures = ran.flatMap((result) => result.failures);
  const sum = (count: 'passed' | 'skipped') => ran.reduce((total, result) => total + result[count], 0);
  console.log(`\n${failures.join('\n\n')}\n\nafter ${Math.round((Date.now() - started) / 1000)} s:`);
  const skipped = sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : '';
  console.log(`${sum('passed')} passed, ${failures.length} failed${skipped}`);
  // A run in which nothing passed has shown nothing.
  return failures.length > 0 || sum('passed') === 0 ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  const status = statusOfFailure(error);
  console.log('0 passed, 1 failed');
  return status;
});
process.exit();
