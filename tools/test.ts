// npm test [-- <phase…>]: every check and test there is; the last line counts them all.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withFreePorts } from '../packages/cli/src/local/ports.ts';
import { answerHelp } from './args.ts';
import { recordingFirestore } from './indexes/recording.ts';
import { findChromium } from './set-up/find-chromium.mjs';
import { buildFunction } from './suite/builds.ts';
import { type EndingSignal, endingSignal, statusOfFailure, statusOfSignal } from './suite/ending-signal.ts';
import { Processes } from './suite/processes.ts';
import { checkNamedTests } from './test/check-named-tests.ts';
import { chooseOrSay, TEST_USAGE } from './test/choose-or-say.ts';
import { listFailures } from './test/list-failures.ts';
import type { Stage } from './test/phases.ts';
import type { PhaseResult } from './test/run-phase.ts';
import { runStages } from './test/run-stages.ts';
import { sharedSuite } from './test/shared-suite.ts';
import { closingLine, sum } from './test/tally.ts';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

async function runAll(stages: readonly Stage[], ending: EndingSignal): Promise<readonly PhaseResult[]> {
  const folder = join(root, '.suite', String(process.pid));
  mkdirSync(folder, { recursive: true });
  const processes = new Processes(folder, []);
  const traffic = join(folder, 'traffic');
  const stored = join(folder, 'firestore');
  for (const old of [traffic, stored]) rmSync(old, { recursive: true, force: true });
  const environment = await withFreePorts({
    ...process.env,
    CHROMIUM: findChromium(process.env),
    PROVIDER_TRAFFIC: traffic,
    ...recordingFirestore(root, stored, process.env.NODE_OPTIONS),
  });
  const suite = sharedSuite(root, environment, ending.aborted);
  try {
    await buildFunction(root);
    return await runStages(stages, suite, processes, folder);
  } finally {
    await processes.end();
    await suite.end();
    for (const old of [traffic, stored]) rmSync(old, { recursive: true, force: true });
  }
}

async function main(words: readonly string[]): Promise<number> {
  answerHelp(words, TEST_USAGE);
  const stages = chooseOrSay(words);
  const ending = endingSignal();
  const started = Date.now();
  const outcome = await Promise.race([runAll(stages, ending), ending.received]);
  if (typeof outcome === 'string') return statusOfSignal(outcome);
  console.log(`\n── documents: the tests that they name ran ${'─'.repeat(29)}`);
  const results = [...outcome, checkNamedTests(root, outcome)];
  console.log(`\n${listFailures(results, root)}\n`);
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
