// npm run bench: measures the service's hot paths beside plain ones, prints a table, writes results.json.
import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { answerHelp } from '../args.ts';
import { writeCostPage } from '../cost/cost-page.ts';
import { endAfterWords } from '../suite/run-command.ts';
import { buildBundle } from './instances.ts';
import { type Options, type RowName, readOptions, USAGE } from './options.ts';
import {
  describeHighlights,
  describeMachine,
  describeResults,
  missingHighlights,
  QUIET,
  type Results,
  type Row,
  replaceMeasured,
  tableOf,
  toJson,
} from './report.ts';
import { benchBackend } from './row-backend.ts';
import { benchBalance } from './row-balance.ts';
import { benchColdStart } from './row-cold-start.ts';
import { benchConsume } from './row-consume.ts';
import { benchCost } from './row-cost.ts';
import { benchFirstByte } from './row-first-byte.ts';
import { benchGrowth } from './row-growth.ts';
import { benchInstances } from './row-instances.ts';
import { benchMixed } from './row-mixed.ts';
import { benchOneUser, benchProcesses } from './row-one-user.ts';
import { benchSnapshot } from './row-snapshot.ts';
import { benchWebhook } from './row-webhook.ts';
import { openWorld, type World } from './world.ts';

const BENCHES: Readonly<Record<RowName, (world: World) => Promise<readonly Row[]>>> = {
  a: benchConsume,
  b: benchOneUser,
  c: benchProcesses,
  d: benchBackend,
  e: benchWebhook,
  f: benchColdStart,
  g: benchSnapshot,
  h: benchCost,
  k: benchFirstByte,
  l: benchInstances,
  m: benchMixed,
  n: benchBalance,
  // The last, because it empties the database.
  i: benchGrowth,
};

async function main(options: Options): Promise<void> {
  const started = performance.now();
  const machine = describeMachine(loadavg());
  const [load = 0] = machine.loadBefore;
  if (load >= QUIET) console.error(`bench: the load is ${load.toFixed(1)}; figures count below ${QUIET}`);
  await buildBundle();
  const world = await openWorld(options);
  const rows: Row[] = [];
  const file = options.json ?? fileURLToPath(new URL('./results.json', import.meta.url));
  const resultsNow = (): Results => {
    const seconds = (performance.now() - started) / 1000;
    return { at: new Date().toISOString(), machine, seconds, rows };
  };
  for (const name of options.rows) {
    const from = performance.now();
    try {
      rows.push(...(await BENCHES[name](world)));
      // Whoever stops it has what was measured so far.
      writeFileSync(file, toJson(resultsNow()));
    } catch (error) {
      // The figures of the other rows took minutes: they are written all the same.
      console.error(`bench: row ${name} failed:`, error);
      process.exitCode = 1;
    }
    console.error(`bench: row ${name} took ${((performance.now() - from) / 1000).toFixed(1)} s`);
  }
  await world.end();
  console.log(tableOf(rows));
  const results = resultsNow();
  writeFileSync(file, toJson(results));
  console.error(`bench: ${results.seconds.toFixed(0)} s, written to ${file}`);
  if (options.record) record(results);
}

/** Keeps a run as docs/performance.json, and writes what it says into the documents. */
function record(results: Results): void {
  const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
  const [load = 0] = results.machine.loadBefore;
  if (load >= QUIET || results.rows.length === 0 || process.exitCode === 1) {
    console.error('bench: not recorded: only a whole run on a quiet machine is.');
    process.exitCode = 1;
    return;
  }
  for (const missing of missingHighlights(results))
    console.error(`bench: README.md should show a row "${missing}", and there is none`);
  for (const [path, describe] of [
    ['docs/performance.md', describeResults],
    ['README.md', describeHighlights],
  ] as const)
    writeFileSync(at(path), replaceMeasured(readFileSync(at(path), 'utf8'), describe(results)));
  writeFileSync(at('docs/performance.json'), toJson(results));
  writeCostPage();
}

const words = process.argv.slice(2);
answerHelp(words, USAGE);
let options: Options;
try {
  options = readOptions(words);
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  process.exit(2);
}
endAfterWords(process.env);
await main(options);
process.exit();
