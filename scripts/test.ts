// npm test [-- <phase…>]: every check and test there is; the last line counts them all.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Environment, readPorts } from './ports.ts';
import { findChromium } from './set-up/find-chromium.mjs';
import { bringUp } from './suite/bring-up.ts';
import { buildExtension, buildFunction } from './suite/builds.ts';
import { type EndingSignal, endingSignal, statusOfFailure, statusOfSignal } from './suite/ending-signal.ts';
import { Processes } from './suite/processes.ts';
import { checkNamedTests } from './test/check-named-tests.ts';
import { withFreePorts } from './test/free-offset.ts';
import { choosePhases, type Phase } from './test/phases.ts';
import { type PhaseResult, runPhase } from './test/run-phase.ts';
import { closingLine, NOTHING, sum } from './test/tally.ts';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

async function runAll(phases: readonly Phase[], ending: EndingSignal): Promise<readonly PhaseResult[]> {
  const reports = join(root, '.suite', String(process.pid));
  mkdirSync(reports, { recursive: true });
  const processes = new Processes(reports, []);
  const traffic = join(reports, 'traffic');
  rmSync(traffic, { recursive: true, force: true });
  const environment = await withFreePorts({
    ...process.env,
    CHROMIUM: findChromium(process.env),
    PROVIDER_TRAFFIC: traffic,
  });
  const results: PhaseResult[] = [];
  try {
    await buildFunction(root);
    for (const phase of phases.filter(({ suite }) => !suite)) {
      results.push(await runPhase(phase, environment, processes, reports));
    }
    const inside = phases.filter(({ suite }) => suite);
    if (inside.length > 0) results.push(...(await runInSuite(inside, environment, ending, reports)));
  } finally {
    await processes.end();
    rmSync(traffic, { recursive: true, force: true });
  }
  return results;
}

/** Runs phases inside one suite; when the suite does not come up, each of them has failed. */
async function runInSuite(
  phases: readonly Phase[],
  environment: Environment,
  ending: EndingSignal,
  reports: string,
): Promise<readonly PhaseResult[]> {
  const suite = await bringUp(root, environment, ending.aborted).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    return undefined;
  });
  if (suite === undefined) return phases.map(notRun);
  const results: PhaseResult[] = [];
  try {
    const extension = await buildExtension(root, readPorts(environment), suite.variables);
    const surroundings = { ...environment, ...suite.variables, EXTENSION_DIST: extension };
    for (const phase of phases) results.push(await runPhase(phase, surroundings, suite.processes, reports));
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    results.push(...phases.slice(results.length).map(notRun));
  } finally {
    await suite.end();
  }
  return results;
}

/** A phase that could not be run has failed. */
function notRun({ name }: Phase): PhaseResult {
  return { name, tally: { ...NOTHING, failed: 1 }, seconds: 0 };
}

async function main(words: readonly string[]): Promise<number> {
  const phases = choosePhases(words);
  const ending = endingSignal();
  const started = Date.now();
  const outcome = await Promise.race([runAll(phases, ending), ending.received]);
  if (typeof outcome === 'string') return statusOfSignal(outcome);
  console.log(`\n── documents: the tests that they name ran ${'─'.repeat(29)}`);
  const results = [...outcome, checkNamedTests(root, outcome)];
  console.log('');
  for (const { name, seconds, tally } of results)
    console.log(`${name.padEnd(10)}${seconds.toFixed(0).padStart(5)} s  ${closingLine(tally)}`);
  const total = sum(results.map(({ tally }) => tally));
  console.log(`\nafter ${Math.round((Date.now() - started) / 1000)} s:\n${closingLine(total)}`);
  // A run in which nothing passed has shown nothing.
  return total.failed === 0 && total.passed > 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  const status = statusOfFailure(error);
  console.log('0 passed, 1 failed');
  return status;
});
process.exit();
