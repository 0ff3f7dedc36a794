import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { writeDeployedPackage } from './bundle/deployed-package.ts';
import { inlineCatalog } from './bundle/inline-catalog.ts';
import { leaveOut } from './bundle/left-out.ts';
import { loadLate } from './bundle/load-late.ts';
import { oneCopy } from './bundle/one-copy.ts';
import { thirdPartyNotices } from './bundle/third-party-notices.ts';
import { trimProtos } from './bundle/trim-protos.ts';

/**
 * Builds dist/, or the folder that is given as an argument: what is deployed and what the local suite runs.
 * service.cjs is the whole service, firebase.cjs and stripe.cjs are the SDKs that it loads late; index.cjs runs them
 * with the code cache that warm-up.cjs made (docs/decisions/performance.md). A build that fails
 * leaves the folder as it was.
 */
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const outdir = process.argv[2] ?? here('./dist');
const beside = `${outdir}.${process.pid}`;
const replaced = `${beside}.replaced`;

try {
  await build({
    entryPoints: {
      service: here('./src/index.ts'),
      firebase: here('./bundle/firebase.ts'),
      stripe: here('./bundle/stripe.ts'),
      index: here('./bundle/start.ts'),
      'warm-up': here('./bundle/warm-up.ts'),
    },
    outdir: beside,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    minify: true,
    keepNames: true,
    sourcemap: 'linked',
    sourcesContent: false,
    // Their licenses are in THIRD_PARTY_NOTICES.md.
    legalComments: 'none',
    plugins: [inlineCatalog, leaveOut, loadLate, oneCopy, trimProtos, thirdPartyNotices],
    logLevel: 'warning',
  });
  const { engines }: { engines: { node: string } } = JSON.parse(readFileSync(here('./package.json'), 'utf8'));
  writeDeployedPackage(beside, here('../package-lock.json'), engines.node);
  execFileSync(process.execPath, [join(beside, 'warm-up.cjs'), '--required'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  // Where a plain `firebase emulators:start` looks for them. firebase.json keeps every ".…" out of a deployment.
  const secrets = [here('../.secret.local'), here('../.secret.local.example')].find(existsSync);
  if (secrets !== undefined)
    writeFileSync(join(beside, '.secret.local'), readFileSync(secrets), { mode: 0o600 });
  // Two renamings, so that a process which starts meanwhile finds the one folder or the other.
  if (existsSync(outdir)) await rename(outdir, replaced);
  await rename(beside, outdir);
} finally {
  for (const left of [beside, replaced]) await rm(left, { recursive: true, force: true });
}
// The renaming touched the folder above, which the suite takes for a source (tools/suite/builds.ts).
const now = new Date();
await utimes(join(outdir, 'index.cjs'), now, now);
