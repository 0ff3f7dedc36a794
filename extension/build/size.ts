// node extension/build/size.ts [<folder>]: builds the extension (or takes a built one), says how big it is, and fails above the limits.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { parseArgs } from '../../tools/args.ts';
import { BUNDLE_LIMITS, findRemoteCode, measureBundles } from './measure-bundles.ts';

const USAGE = `usage: node extension/build/size.ts [<folder>]
  <folder>  a built extension; without it one is built`;

const LINES = [
  ['background', 'background'],
  ['popup', 'popup'],
  ['popupOwn', 'popup, no React'],
  ['optionsOwn', 'options page, the same'],
] as const satisfies readonly (readonly [keyof typeof BUNDLE_LIMITS, string])[];
const WIDTH = 28;

const { positionals } = parseArgs(process.argv.slice(2), USAGE, { allowPositionals: true });
const [given] = positionals;
if (positionals.length > 1 || (given !== undefined && !existsSync(join(given, 'manifest.json')))) {
  console.error(
    `There is no built extension (a folder with a manifest.json) in ${positionals.join(' ')}.\n\n${USAGE}`,
  );
  process.exit(2);
}
const dist = given ?? mkdtempSync(join(tmpdir(), 'billing-size-'));
try {
  if (given === undefined) {
    const configFile = fileURLToPath(new URL('../vite.config.ts', import.meta.url));
    await build({ configFile, logLevel: 'error', build: { outDir: dist, emptyOutDir: true } });
  }
  const sizes = measureBundles(dist);
  for (const [name, what] of LINES) {
    const isOver = sizes[name] > BUNDLE_LIMITS[name];
    console.log(
      `${what.padEnd(WIDTH)} ${kilobytes(sizes[name])} of ${kilobytes(BUNDLE_LIMITS[name])} kB gzipped`,
    );
    if (isOver) {
      console.error(`${name} is over its limit: see what came in with "vite build --sourcemap".`);
      process.exitCode = 1;
    }
  }
  console.log(`${'and'.padEnd(WIDTH)} ${kilobytes(sizes.popupLater)} kB that the popup loads on demand`);
  const remote = findRemoteCode(dist);
  for (const found of remote) console.error(`remote code, which the Web Store rejects: ${found}`);
  if (remote.length > 0) process.exitCode = 1;
  else console.log('no address of remote code');
} finally {
  if (given === undefined) rmSync(dist, { recursive: true, force: true });
}

function kilobytes(bytes: number): string {
  return (bytes / 1_000).toFixed(1).padStart(5);
}
