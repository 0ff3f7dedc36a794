// npm run bench: measures the service's hot paths beside plain ones, prints a table, writes bench/results.json.
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { answerHelp } from '../args.ts';
import { endAfterWords } from '../suite/look-first.ts';
import { buildBundle } from './instances.ts';
import { type Options, type RowName, readOptions, USAGE } from './options.ts';
import { describeMachine, QUIET, type Row, tableOf, toJson } from './report.ts';
import { benchBalance } from './rows/balance.ts';
import { benchColdStart } from './rows/cold-start.ts';
import { benchConsume } from './rows/consume.ts';
import { benchCost } from './rows/cost.ts';
import { benchGrowth } from './rows/growth.ts';
import { benchOneUser } from './rows/one-user.ts';
import { benchProcesses } from './rows/processes.ts';
import { benchSnapshot } from './rows/snapshot.ts';
import { benchWebhook } from './rows/webhook.ts';
import { openWorld, type World } from './world.ts';

const BENCHES: Readonly<Record<RowName, (world: World) => Promise<readonly Row[]>>> = {
  a: benchConsume,
  b: benchOneUser,
  c: benchProcesses,
  d: benchBalance,
  e: benchWebhook,
  f: benchColdStart,
  g: benchSnapshot,
  h: benchCost,
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
  for (const name of options.rows) {
    const from = performance.now();
    try {
      rows.push(...(await BENCHES[name](world)));
    } catch (error) {
      // The figures of the other rows took minutes: they are written all the same.
      console.error(`bench: row ${name} failed:`, error);
      process.exitCode = 1;
    }
    console.error(`bench: row ${name} took ${((performance.now() - from) / 1000).toFixed(1)} s`);
  }
  await world.end();
  console.log(tableOf(rows));
  const file = options.json ?? fileURLToPath(new URL('./results.json', import.meta.url));
  const seconds = (performance.now() - started) / 1000;
  writeFileSync(file, toJson({ at: new Date().toISOString(), machine, seconds, rows }));
  console.error(`bench: ${seconds.toFixed(0)} s, written to ${file}`);
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
