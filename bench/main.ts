// npm run bench: measures the service's hot paths beside plain ones, prints a table, writes bench/results.json.
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { buildBundle } from './instances.ts';
import { printTable, type Row, writeResults } from './report.ts';
import { benchBalance } from './rows/balance.ts';
import { benchConsume } from './rows/consume.ts';
import { benchOneUser } from './rows/one-user.ts';
import { benchProcesses } from './rows/processes.ts';
import { openWorld } from './world.ts';

const load = loadavg();
await buildBundle();
const world = await openWorld();
const rows: Row[] = [];
for (const bench of [benchConsume, benchOneUser, benchProcesses, benchBalance]) {
  const started = performance.now();
  rows.push(...(await bench(world)));
  console.error(`bench: ${bench.name} took ${((performance.now() - started) / 1000).toFixed(1)} s`);
}
await world.end();
printTable(rows);
const file = fileURLToPath(new URL('./results.json', import.meta.url));
writeResults(file, rows, load);
console.error(`bench: written to ${file}`);
process.exit();
