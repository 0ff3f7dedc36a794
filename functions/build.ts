import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { leaveOut } from './bundle/left-out.ts';
import { oneCopy } from './bundle/one-copy.ts';

/**
 * Builds dist/, or the folder that is given as an argument: what is deployed and what the local suite runs.
 * service.cjs is the whole service with its dependencies; index.cjs loads it with the code cache that warm-up.cjs
 * made (docs/decisions/0045-one-file-and-a-code-cache.md).
 */
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const outdir = process.argv[2] ?? here('./dist');

await rm(outdir, { recursive: true, force: true });
await build({
  entryPoints: {
    service: here('./src/index.ts'),
    index: here('./bundle/start.ts'),
    'warm-up': here('./bundle/warm-up.ts'),
  },
  outdir,
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  minify: true,
  keepNames: true,
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  plugins: [leaveOut, oneCopy],
  logLevel: 'warning',
});
execFileSync(process.execPath, [join(outdir, 'warm-up.cjs'), '--required'], {
  stdio: ['ignore', 'ignore', 'inherit'],
});
