// npm test [-- <phase…>]: every check and test but those on request; npm run test:all runs these too. The last line counts them all.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startVitest } from 'vitest/node';
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
import { checkNamedTests } from './test/named-tests.ts';
import { choosePhases, type Lane, PHASES, type Phase, stagesOf } from './test/phases.ts';
import { closingLine, listFailures, type Outcome, outcomesOf, secondsOf } from './test/tally.ts';
import { TEST_CATALOG } from './test/test-catalog.ts';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
export const TEST_USAGE = `usage: npm test [-- <phase…>], or npm run test:all for every phase
${PHASES.map(({ name, what }) => `  ${name.padEnd(9)} ${what}`).join('\n')}`;

/** Runs a lane and prints as it goes. @returns how vitest ended: 0 where all is well. */
async function runLane(
  { name, projects, niceness }: Lane,
  environment: Environment,
  processes: Processes,
  report: string,
): Promise<number | string> {
  const words = ['run', ...projects.flatMap((project) => ['--project', project])];
  const reporting = ['--reporter=default', '--reporter=blob', `--outputFile.blob=${report}`];
  // Not a terminal: vitest would move the cursor about, and the lanes share it.
  const child = spawn('vitest', [...words, ...reporting], {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  processes.adopt(name, child, true);
  if (child.pid !== undefined) setPriority(child.pid, niceness);
  child.stdout.pipe(process.stdout, { end: false });
  child.stderr.pipe(process.stderr, { end: false });
  const [code, signal] = await once(child, 'close');
  return code ?? signal;
}

/** A lane that ended badly, though no test of it failed: what it printed says why. */
function failureOf(
  { name, projects }: Lane,
  ended: number | string,
  outcomes: readonly Outcome[],
): Outcome[] {
  const isKnown = outcomes.some(({ project, state }) => state === 'failed' && projects.includes(project));
  if (ended === 0 || isKnown) return [];
  const error = `vitest ended with ${ended}: see what it printed above`;
  return [{ project: name, file: '', name: projects.join(', '), state: 'failed', errors: [error] }];
}

/** What the lanes reported, joined by vitest itself. */
async function mergeReports(reports: string): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  if (readdirSync(reports).length === 0) return outcomes;
  await startVitest([], {
    root,
    mergeReports: reports,
    reporters: [
      {
        onTestRunEnd(modules, errors) {
          outcomes.push(...outcomesOf(modules, root));
          for (const { message, stack } of errors)
            outcomes.push({
              project: 'outside of any test',
              file: '',
              name: message,
              state: 'failed',
              errors: [stack ?? ''],
            });
        },
      },
    ],
  });
  return outcomes;
}

/** How far from the first suite's ports the second one's are: no two of both are the same then. */
const BESIDE = 500;

/** The environment of a second suite. @throws Error naming its ports that are taken. */
async function besideIt(first: Environment): Promise<Environment> {
  const unmoved = Object.entries(first).filter(([name]) => !/^BILLING_[A-Z]+_(PORT|OFFSET)$/.test(name));
  const offset = String(Number(first.BILLING_PORT_OFFSET ?? 0) + BESIDE);
  const second = { ...Object.fromEntries(unmoved), BILLING_PORT_OFFSET: offset };
  await requireFreePorts(readPorts(second), PORT_NAMES);
  return second;
}

async function runAll(phases: readonly Phase[]): Promise<readonly Outcome[]> {
  const folder = join(root, '.suite', String(process.pid));
  const [reports = '', traffic = '', compiled = ''] = ['reports', 'traffic', 'compiled'].map((name) =>
    join(folder, name),
  );
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(reports, { recursive: true });
  const processes = new Processes(folder, [reports, traffic, compiled]);
  const recorded = {
    ...process.env,
    CHROMIUM: findChromium(process.env),
    PROVIDER_TRAFFIC: traffic,
    // Hundreds of processes run the same programs: what one has compiled, the others read.
    NODE_COMPILE_CACHE: compiled,
    // The compiler and the bundler are over before it is worth to collect what they leave.
    GOGC: '400',
  };
  try {
    const first = await withFreePorts(recorded);
    const environments = [first, await besideIt(first)];
    // Before the lanes, which would build them twice: what is deployed, and what the lanes' suites serve.
    for (const catalog of [{}, { BILLING_CATALOG: TEST_CATALOG }]) await buildFunction(root, catalog);
    const ended: [Lane, number | string][] = [];
    for (const lanes of stagesOf(phases)) {
      const run = async (lane: Lane, at: number): Promise<[Lane, number | string]> => {
        const report = join(reports, `${lane.name.replaceAll(' ', '-')}.json`);
        return [lane, await runLane(lane, environments[at] ?? recorded, processes, report)];
      };
      ended.push(...(await Promise.all(lanes.map(run))));
    }
    const outcomes = await mergeReports(reports);
    return [...outcomes, ...ended.flatMap(([lane, how]) => failureOf(lane, how, outcomes))];
  } finally {
    await processes.end();
  }
}

function printTable(outcomes: readonly Outcome[]): void {
  for (const [project, all] of Map.groupBy(outcomes, (one) => one.project))
    console.log(`${project.padEnd(15)}${secondsOf(all).toFixed(0).padStart(5)} s  ${closingLine(all)}`);
}

function choose(words: readonly string[]): readonly Phase[] {
  try {
    return choosePhases(words);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${TEST_USAGE}`);
    process.exit(2);
  }
}

async function main(words: readonly string[]): Promise<number> {
  answerHelp(words, TEST_USAGE);
  const phases = choose(words);
  const ending = endingSignal();
  const started = Date.now();
  const ran = await Promise.race([runAll(phases), ending.received]);
  if (typeof ran === 'string') return statusOfSignal(ran);
  const names = phases.map(({ name }) => name);
  const outcomes = [...ran, ...checkNamedTests(root, names, ran)];
  console.log(`\n${listFailures(outcomes)}\n`);
  printTable(outcomes);
  console.log(`\nafter ${Math.round((Date.now() - started) / 1000)} s:\n${closingLine(outcomes)}`);
  const states = ran.map(({ state }) => state);
  // A run in which nothing passed has shown nothing.
  return outcomes.some(({ state }) => state === 'failed') || !states.includes('passed') ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  const status = statusOfFailure(error);
  console.log('0 passed, 1 failed');
  return status;
});
process.exit();
