import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { asJson, type Framework, install, type Project, writeFiles } from './project.ts';

const CREATE = 'create-vite@9.3.0';
const CRXJS = '@crxjs/vite-plugin@3.0.0';

const TEMPLATE: Readonly<Record<Framework, string>> = {
  nothing: 'vanilla-ts',
  React: 'react-ts',
  Vue: 'vue-ts',
  Svelte: 'svelte-ts',
};

const MANIFEST = {
  manifest_version: 3,
  name: 'My extension',
  version: '1.0.0',
  action: { default_popup: 'index.html' },
};

const BACKGROUND = `chrome.runtime.onMessage.addListener((message: unknown, _sender, sendResponse) => {
  if (message === 'ping') sendResponse('pong');
});
`;

/** vite's own scaffold, which comes whole inside its package. */
async function scaffold(folder: string, framework: Framework): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const words = ['exec', '--yes', '--prefer-offline', '--', CREATE, basename(folder)];
  const { NODE_ENV: _, ...env } = process.env;
  await promisify(execFile)(
    'npm',
    [...words, '--template', TEMPLATE[framework], '--no-interactive', '--overwrite'],
    { cwd: dirname(folder), env },
  );
}

/** vite's scaffold as an extension: its page is the popup; the manifest is in `public`. */
export function viteProject(framework: Framework): Project {
  return {
    built: 'dist',
    popup: 'index.html',
    async make(folder) {
      await scaffold(folder, framework);
      const hasBackground = framework === 'React' || framework === 'Vue';
      const background = { service_worker: 'background.js', type: 'module' };
      await writeFiles(folder, {
        'public/manifest.json': asJson({ ...MANIFEST, ...(hasBackground && { background }) }),
        ...(hasBackground && { 'src/background.ts': BACKGROUND }),
      });
      if (!hasBackground) return install(folder);
      await change(join(folder, 'vite.config.ts'), /^ {2}plugins: .*\n/m, (line) => `${line}${INPUTS}`);
      await change(
        join(folder, 'tsconfig.app.json'),
        /"types": \["vite\/client"\]/,
        () => '"types": ["vite/client", "chrome"]',
      );
      await install(folder, '--save-dev', '@types/chrome@0.3');
    },
  };
}

const INPUTS = `  build: {
    rolldownOptions: {
      input: { index: 'index.html', background: 'src/background.ts' },
      output: { entryFileNames: '[name].js' },
    },
  },
`;

/** By CRXJS's page "Getting started": vite's scaffold, the plugin, a manifest as JSON or as a module. */
export function crxjsProject(framework: Framework): Project {
  const isModule = framework === 'React' || framework === 'Svelte';
  const hasBackground = framework === 'nothing' || framework === 'React';
  return {
    built: 'dist',
    popup: 'index.html',
    async make(folder) {
      await scaffold(folder, framework);
      const manifest = {
        ...MANIFEST,
        ...(hasBackground && { background: { service_worker: 'src/background.ts', type: 'module' } }),
      };
      await writeFiles(folder, {
        ...(isModule
          ? { 'manifest.config.ts': manifestModule(manifest) }
          : { 'manifest.json': asJson(manifest) }),
        ...(hasBackground && { 'src/background.ts': "console.log('Hello from the background');\n" }),
        ...(framework === 'nothing' && { 'vite.config.ts': VITE_CONFIG }),
      });
      const config = join(folder, 'vite.config.ts');
      await change(config, /plugins: \[(.*)\]/, (_, others) =>
        others === '' ? 'plugins: [crx({ manifest })]' : `plugins: [${others}, crx({ manifest })]`,
      );
      const from = isModule ? `'./manifest.config.ts'` : `'./manifest.json' with { type: 'json' }`;
      const imports = `import { crx } from '@crxjs/vite-plugin'\nimport manifest from ${from}\n`;
      await change(config, /^/, () => imports);
      if (isModule)
        await change(
          join(folder, 'tsconfig.node.json'),
          /"vite.config.ts"/,
          (own) => `${own}, "manifest.config.ts"`,
        );
      await install(folder, '--save-dev', CRXJS);
    },
  };
}

const VITE_CONFIG = `import { defineConfig } from 'vite'\n\nexport default defineConfig({\n  plugins: [],\n})\n`;

const manifestModule = (manifest: object): string => `import { defineManifest } from '@crxjs/vite-plugin'

export default defineManifest(${JSON.stringify(manifest, null, 2)})
`;

/** @throws Error where the scaffold has become another than the one that this was written for. */
async function change(
  file: string,
  what: RegExp,
  by: (found: string, part: string) => string,
): Promise<void> {
  const text = await readFile(file, 'utf8');
  if (!what.test(text)) throw new Error(`${file} has nothing like ${what}:\n${text}`);
  await writeFile(file, text.replace(what, by));
}
