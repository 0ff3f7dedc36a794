import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/**
 * Bundles the function into dist/index.cjs, the file that is deployed and that the local suite runs; or into
 * the folder that is given as an argument.
 *
 * firebase-functions and firebase-admin stay outside: firebase-tools finds the function through the very
 * copy in node_modules, and the emulator patches firebase-admin there.
 */
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const outdir = process.argv[2] ?? here('./dist');

await rm(outdir, { recursive: true, force: true });
await build({
  entryPoints: [here('./src/index.ts')],
  outfile: `${outdir}/index.cjs`,
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
