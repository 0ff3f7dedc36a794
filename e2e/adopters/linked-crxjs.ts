import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installClient } from '../new-extension.ts';
import { POPUPS, pageThatRuns } from './popups.ts';
import { asJson, writeFiles } from './project.ts';

const TOOLS = ['@crxjs/vite-plugin', 'vite'];

/** The smallest extension on CRXJS, with the tools of this checkout and the packed client: nothing is downloaded. */
export async function makeLinkedCrxjs(folder: string, tarball: string): Promise<void> {
  const { component, file, mount, mountFile } = POPUPS.nothing;
  await writeFiles(folder, {
    'package.json': asJson({ private: true, type: 'module', scripts: { build: 'vite build' } }),
    'vite.config.ts': `import { crx } from '@crxjs/vite-plugin'
import { defineConfig } from 'vite'
import manifest from './manifest.config'

export default defineConfig({ plugins: [crx({ manifest })] })
`,
    'manifest.config.ts': `import { defineManifest } from '@crxjs/vite-plugin'

export default defineManifest({
  manifest_version: 3,
  name: 'Counts',
  version: '1.0.0',
  background: { service_worker: 'src/background.ts', type: 'module' },
  action: { default_popup: 'popup.html' },
})
`,
    'popup.html': pageThatRuns(`/src/${mountFile}`),
    [`src/${mountFile}`]: mount(`./${file}`),
    [`src/${file}`]: component,
    'src/background.ts': "console.log('Hello from the background')\n",
  });
  await installClient(folder, tarball, TOOLS);
  const path = join(folder, 'package.json');
  const written: object = JSON.parse(await readFile(path, 'utf8'));
  const devDependencies = Object.fromEntries(TOOLS.map((name) => [name, '*']));
  await writeFile(path, asJson({ ...written, devDependencies }));
}
