// npm run build -w @extension-billing/client: the package that other extensions install, into dist/.
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { build } from 'vite';
import { emitTypes } from './emit-types.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const source = here('../src');
const dist = here('../dist');

/** Every door of the package but its style sheet, by the file in exports/ that lists what it gives. */
function doors(): Record<string, string> {
  const files = readdirSync(join(source, 'exports'));
  return Object.fromEntries(files.map((file) => [file.replace('.ts', ''), join(source, 'exports', file)]));
}

/** JavaScript for any bundler: the peers and the extension's catalogue stay outside. */
async function buildScripts(): Promise<void> {
  process.env.NODE_ENV = 'production';
  await build({
    configFile: false,
    root: source,
    publicDir: false,
    logLevel: 'warn',
    plugins: [react()],
    build: {
      target: 'chrome121',
      outDir: dist,
      emptyOutDir: true,
      minify: false,
      sourcemap: true,
      lib: { entry: doors(), formats: ['es'], cssFileName: 'ui' },
      rolldownOptions: { external: [/^react(\/|$)/, /^firebase\//, 'vite', /^node:/] },
    },
  });
}

rmSync(dist, { recursive: true, force: true });
await buildScripts();
await emitTypes(here('..'), join(dist, 'types'));
cpSync(here('../../../LICENSE'), join(dist, 'LICENSE'));
