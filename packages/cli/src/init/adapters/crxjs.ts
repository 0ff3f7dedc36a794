import { join } from 'node:path/posix';
import type { Adapter, Change } from '../change.ts';
import { parseJson } from '../edits/json.ts';
import { BILLING_PAGE, backgroundChange, linkByHand, manifestChanges } from '../edits/manifest.ts';
import { moduleChanges, readModule } from '../edits/manifest-module.ts';
import { installChanges } from '../edits/package.ts';
import { type Listing, type Manifest, packagesOf } from '../extension.ts';
import { configOfJson } from '../templates/catalog.ts';
import { besideWorker, bundledPage, CONFIG, configFile, lineInWorker, workerFile } from './bundled.ts';
import { loosePage } from './plain.ts';
import { outFolder, publicFolder, viteConfig, viteRoot } from './vite.ts';

const WORKER = 'billing/background.ts';

/** CRXJS reads the manifest, JSON or a module, and builds what it names, pages and worker alike. */
export const crxjs: Adapter = {
  kind: 'crxjs',
  // A module may make it; `changes` looks for it by itself.
  makesManifest: true,
  recognises: (_, packageJson) => Object.hasOwn(packagesOf(packageJson), '@crxjs/vite-plugin'),
  changes: (extension, client) => {
    const { listing } = extension;
    const root = viteRoot(listing);
    const path = manifestPath(listing);
    const manifest = path === null ? null : readManifest(listing, path);
    const { background, options_page, options_ui } = manifest ?? {};
    const own = options_page ?? options_ui?.page;
    const isLoose = own !== undefined && own !== BILLING_PAGE;
    const loose = join(publicFolder(listing), 'billing');
    return [
      ...installChanges(extension, client),
      ...(path === null || manifest === null
        ? moduleChanges(path ?? 'your manifest', null, WORKER)
        : path.endsWith('.json')
          ? [
              ...manifestChanges({ path, value: manifest }),
              backgroundChange({ path, value: manifest }, WORKER),
            ]
          : [...moduleChanges(path, manifest, WORKER), ...(isLoose ? [linkByHand(own, BILLING_PAGE)] : [])]),
      ...workerChanges(root, background?.service_worker),
      ...(isLoose
        ? [configOfLoose(loose), ...loosePage(loose)]
        : [configFile(), ...bundledPage(join(root, 'billing'), 'page.html')]),
    ];
  },
  next: ({ packageJson, listing }) => ({
    build: packageJson?.scripts?.build === undefined ? 'npx vite build' : 'npm run build',
    load: outFolder(listing),
  }),
};

const configOfLoose = (folder: string): Change => ({
  kind: 'create',
  path: CONFIG,
  text: configOfJson(join(folder, 'catalog.json')),
  why: 'what the local service sells',
});

/** The file that vite's configuration imports as the manifest. */
function manifestPath(listing: Listing): string | null {
  const { text } = viteConfig(listing);
  const named = [...text.matchAll(/\bfrom\s*['"](\.[^'"]*manifest[^'"]*)['"]/gi)].map(([, name = '']) =>
    join(name),
  );
  const usual = [
    'manifest.config.ts',
    'manifest.config.js',
    'manifest.json',
    'src/manifest.ts',
    'src/manifest.json',
  ];
  const names = [
    ...named.flatMap((name) => [name, ...['ts', 'js', 'mjs', 'json'].map((end) => `${name}.${end}`)]),
    ...usual,
  ];
  return names.find((name) => listing.paths.includes(name)) ?? null;
}

function readManifest(listing: Listing, path: string): Manifest | null {
  const text = listing.text(path) ?? '';
  if (!path.endsWith('.json')) return readModule(text);
  const value = parseJson(text);
  return typeof value === 'object' && value !== null ? (value as Manifest) : null;
}

/** CRXJS builds the worker by its source's name. */
function workerChanges(root: string, worker: string | undefined): readonly Change[] {
  if (worker === undefined || worker === WORKER) return [workerFile(join(root, WORKER))];
  const source = join(root, worker.replace(/^\.?\//, ''));
  const file = besideWorker(source);
  return [lineInWorker(source, file), workerFile(file)];
}
