// Serves the function from its sources: node function-server.ts <folder for the build> <port>. After every change of
// functions/src it builds anew (its dependencies stay where they are) and starts the new function in the old one's place.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { context } from 'esbuild';

const [folder, port] = process.argv.slice(2);
if (folder === undefined || port === undefined)
  throw new Error('usage: function-server.ts <folder for the build> <port>');

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const sources = here('../../functions/src');
const bundle = join(folder, 'index.cjs');
/** An editor writes a file in several steps; one build for all of them. */
const SETTLED_AFTER_MS = 30;

const builder = await context({
  entryPoints: [join(sources, 'index.ts')],
  outfile: bundle,
  bundle: true,
  packages: 'external',
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  sourcemap: 'linked',
  logLevel: 'warning',
});

/** When the next host loads its packages: not while the function answers for the first time. */
const NEXT_HOST_AFTER_MS = 1_000;

/** A process that loads the packages and waits for a bundle. */
function newHost(): ChildProcess {
  const host = fork(here('./function-host.mjs'), [String(port)], { execArgv: ['--enable-source-maps'] });
  host.on('message', (message) => console.log(message));
  return host;
}

let running: ChildProcess | undefined;
let next: ChildProcess | undefined = newHost();
let building: Promise<void> = Promise.resolve();

/** A build that fails leaves the function that runs in its place; esbuild has said what is wrong. */
async function rebuild(): Promise<void> {
  const started = Date.now();
  const isBuilt = await builder.rebuild().then(
    () => true,
    () => false,
  );
  if (!isBuilt) return;
  if (running !== undefined) await end(running);
  running = next ?? newHost();
  next = undefined;
  running.once('exit', (code) => {
    if (code !== null) console.error(`the function ended with ${code}; the next change starts it again`);
  });
  running.send(bundle);
  await Promise.race([untilListening(running), once(running, 'exit')]);
  console.log(`built and started in ${Date.now() - started} ms`);
  setTimeout(() => {
    next ??= newHost();
  }, NEXT_HOST_AFTER_MS);
}

async function untilListening(host: ChildProcess): Promise<void> {
  for (let said: unknown; said !== 'listening'; ) [said] = await once(host, 'message');
}

async function end(host: ChildProcess): Promise<void> {
  if (host.exitCode !== null || host.signalCode !== null) return;
  host.kill('SIGKILL');
  await once(host, 'exit');
}

await rebuild();
let settled: NodeJS.Timeout | undefined;
watch(sources, { recursive: true }, (_, file) => {
  if (file === null || !file.endsWith('.ts') || file.endsWith('.test.ts')) return;
  clearTimeout(settled);
  settled = setTimeout(() => {
    console.log(`${file} changed`);
    building = building.then(rebuild);
  }, SETTLED_AFTER_MS);
});
