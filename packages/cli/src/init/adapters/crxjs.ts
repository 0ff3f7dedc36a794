import { join } from 'node:path/posix';
import type { Adapter, Change } from '../change.ts';
import { parseJson } from '../edits/json.ts';
import { backgroundChange, linkByHand, manifestChanges } from '../edits/manifest.ts';
import { moduleChanges, readModule } from '../edits/manifest-module.ts';
import { BILLING_PAGE } from '../edits/needed.ts';
import { installChanges } from '../edits/package.ts';
import { type Listing, type Manifest, packagesOf } from '../extension.ts';
import {
  besideWorker,
  bundledPage,
  configFile,
  configOfData,
  lineInWorker,
  literalOf,
  workerFile,
} from './bundled.ts';
import { loosePage } from './plain.ts';
import { outFolder, publicFolder, viteConfigs, viteRoot } from './vite.ts';

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
    const path = extension.manifest?.path ?? manifestPath(listing);
    const value = path === null ? null : readManifest(listing, path);
    const own = value?.options_page ?? value?.options_ui?.page;
    const isLoose = own !== undefined && own !== BILLING_PAGE;
    const loose = join(publicFolder(listing), 'billing');
    // The configuration may give the worker to the plugin by itself, over what the manifest's file says.
    const worker = value?.background?.service_worker ?? workerInConfigs(listing);
    return [
      ...installChanges(extension, client),
      ...(path === null || value === null
        ? moduleChanges({ path: path ?? 'your manifest', value: null }, BILLING_PAGE, WORKER)
        : path.endsWith('.json')
          ? [
              ...manifestChanges({ path, form: 'json', value }),
              ...(worker === null ? [backgroundChange({ path, form: 'json', value }, WORKER)] : []),
            ]
          : [
              ...moduleChanges({ path, value }, BILLING_PAGE, WORKER),
              ...(isLoose ? [linkByHand(own, BILLING_PAGE)] : []),
            ]),
      ...workerChanges(root, worker),
      ...(isLoose
        ? [configOfData(loose), ...loosePage(loose)]
        : [configFile(), ...bundledPage(join(root, 'billing'), 'page.html')]),
    ];
  },
  next: ({ packageJson, listing }) => ({
    build: packageJson?.scripts?.build === undefined ? 'vite build' : 'build',
    load: outFolder(listing),
  }),
};

function workerInConfigs(listing: Listing): string | null {
  const texts = viteConfigs(listing).map((path) => listing.text(path) ?? '');
  return texts.map((text) => literalOf(text, 'service_worker')).find((worker) => worker !== null) ?? null;
}

/** The file that vite's configuration imports as the manifest. */
function manifestPath(listing: Listing): string | null {
  const text = viteConfigs(listing)
    .map((path) => listing.text(path) ?? '')
    .join('\n');
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
function workerChanges(root: string, worker: string | null): readonly Change[] {
  if (worker === null || worker === WORKER) return [workerFile(join(root, WORKER))];
  const source = join(root, worker.replace(/^\.?\//, ''));
  const file = besideWorker(source);
  return [lineInWorker(source, file), workerFile(file)];
}
