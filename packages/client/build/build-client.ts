// npm run build -w @extension-billing/client: the package that other extensions install, into dist/.
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { build } from 'vite';
import { smallFirebase } from '../src/patches/small-firebase.ts';
import { apiPage, readDoors } from './api-page.ts';
import { buildBundle, common, licenseJson, output, writeLicenses } from './build-bundle.ts';
import { BUNDLES, sharedDoors } from './doors.ts';
import { emitTypes } from './emit-types.ts';
import { widenOptional } from './widen-optional.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const dist = here('../dist');
/** Modules for any bundler: React and the extension's catalogue stay outside, and what several share is there once. */
async function buildShared(): Promise<void> {
  await build({
    ...common,
    plugins: [react(), smallFirebase()],
    build: {
      ...output,
      outDir: dist,
      minify: false,
      // A page may link it as it is.
      cssMinify: true,
      license: licenseJson('modules'),
      lib: { entry: sharedDoors(), formats: ['es'], cssFileName: 'ui' },
      rolldownOptions: { external: [/^react(\/|$)/, 'vite', /^node:/] },
    },
  });
}

process.env.NODE_ENV = 'production';
rmSync(dist, { recursive: true, force: true });
await buildShared();
writeLicenses(dist, 'modules');
for (const bundle of BUNDLES) await buildBundle(bundle, dist);
await emitTypes(here('..'), join(dist, 'types'), '..', widenOptional);
// Compilers refuse an import for its effects alone that has no types.
writeFileSync(join(dist, 'types', 'ui.css.d.ts'), 'export {};\n');
writeFileSync(join(dist, 'API.md'), apiPage(readDoors(join(dist, 'types'))));
cpSync(here('../LICENSE'), join(dist, 'LICENSE'));
