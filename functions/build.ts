import { rm } from 'node:fs/promises';
import { build } from 'esbuild';

/**
 * Bundles the function into dist/index.cjs, the file that is deployed and that the local suite runs.
 *
 * firebase-functions and firebase-admin stay outside: firebase-tools finds the function through the very
 * copy in node_modules, and the emulator patches firebase-admin there.
 */
const outdir = new URL('./dist/', import.meta.url).pathname;

await rm(outdir, { recursive: true, force: true });
await build({
  entryPoints: [new URL('./src/index.ts', import.meta.url).pathname],
  outfile: `${outdir}index.cjs`,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  minify: true,
  keepNames: true,
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  external: ['firebase-functions', 'firebase-functions/*', 'firebase-admin', 'firebase-admin/*'],
  logLevel: 'warning',
});
