import { dirname, join } from 'node:path/posix';
import type { Adapter, Change } from '../change.ts';
import { manifestChanges } from '../edits/manifest.ts';
import { installChanges } from '../edits/package.ts';
import { type Extension, type Listing, packagesOf } from '../extension.ts';
import { configOfJson } from '../templates/catalog.ts';
import { besideWorker, CONFIG, lineInWorker, literalOf, workerFile } from './bundled.ts';
import { loosePage, plain } from './plain.ts';
import { findSource } from './webpack.ts';

/**
 * vite with a manifest of one's own. What lies in the public folder comes into the build as it is: billing's page lies
 * there, and no configuration has to name it. Only a background that vite builds takes the package from node_modules.
 */
export const vite: Adapter = {
  kind: 'vite',
  makesManifest: false,
  recognises: ({ paths }, packageJson) =>
    Object.hasOwn(packagesOf(packageJson), 'vite') &&
    paths.some((path) => /(^|\/)manifest\.json$/.test(path)),
  changes: (extension, client) => {
    const { listing, manifest } = extension;
    if (manifest === null) return [];
    const besideManifest = dirname(manifest.path);
    const folder = /(^|\/)public$/.test(besideManifest) ? besideManifest : publicFolder(listing);
    const worker = manifest.value.background?.service_worker;
    const isLoose = worker === undefined || listing.paths.includes(join(folder, worker));
    if (isLoose && besideManifest === folder) return plain.changes(extension, client);
    return [
      ...installChanges(extension, client),
      ...manifestChanges(manifest),
      ...workerChanges(extension, worker ?? 'background.js'),
      {
        kind: 'create',
        path: CONFIG,
        text: configOfJson(join(folder, 'billing/catalog.json')),
        why: 'what the local service sells',
      },
      ...loosePage(join(folder, 'billing')),
    ];
  },
  next: ({ packageJson, listing }) => ({
    build: packageJson?.scripts?.build === undefined ? 'npx vite build' : 'npm run build',
    load: outFolder(listing),
  }),
};

const CONFIGS = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'].map((end) => `vite.config.${end}`);

/** The configuration that vite finds by itself. */
export function viteConfig(listing: Listing): { readonly path: string; readonly text: string } {
  const path = CONFIGS.find((name) => listing.paths.includes(name)) ?? 'vite.config.ts';
  return { path, text: listing.text(path) ?? '' };
}

/** Where vite looks for pages and for what is not built, from the folder of package.json. */
export const viteRoot = (listing: Listing): string => literalOf(viteConfig(listing).text, 'root') ?? '.';
export const publicFolder = (listing: Listing): string =>
  join(viteRoot(listing), literalOf(viteConfig(listing).text, 'publicDir') ?? 'public');
export const outFolder = (listing: Listing): string =>
  join(viteRoot(listing), literalOf(viteConfig(listing).text, 'outDir') ?? 'dist');

function workerChanges({ listing }: Extension, worker: string): readonly Change[] {
  const config = viteConfig(listing);
  const found = findSource(listing, [config.path], worker);
  if (found === null) {
    const file = 'src/billing/background.ts';
    return [
      {
        kind: 'by-hand',
        path: `the source of ${worker}`,
        lines: ["import './billing/background';"],
        why: 'billing’s part of the background, before anything else of it',
      },
      workerFile(file),
    ];
  }
  const file = besideWorker(found);
  return [lineInWorker(found, file), workerFile(file)];
}
