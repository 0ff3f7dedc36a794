import { dirname, join } from 'node:path/posix';
import type { Adapter, Change } from '../change.ts';
import { parseJson } from '../edits/json.ts';
import { manifestChanges } from '../edits/manifest.ts';
import { installChanges, keptImport } from '../edits/package.ts';
import { type Extension, type Listing, type PackageJson, packagesOf } from '../extension.ts';
import { findSource } from './built-worker.ts';
import { besideWorker, configOfData, lineInWorker, literalOf, workerFile } from './bundled.ts';
import { loosePage, plain } from './plain.ts';

/**
 * vite with a manifest of one's own. What lies in the public folder comes into the build as it is: billing's page lies
 * there, and no configuration has to name it. Only a background that vite builds takes the package from node_modules.
 */
export const vite: Adapter = {
  kind: 'vite',
  makesManifest: false,
  // In a monorepo the package may be named above only.
  recognises: ({ paths }, packageJson, manifest) =>
    manifest !== null &&
    (Object.hasOwn(packagesOf(packageJson), 'vite') || CONFIGS.some((name) => paths.includes(name))),
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
      configOfData(join(folder, 'billing')),
      ...loosePage(join(folder, 'billing')),
    ];
  },
  next: ({ packageJson, listing }) => ({
    build: packageJson?.scripts?.build === undefined ? 'vite build' : 'build',
    load: outFolder(listing),
  }),
};

const CONFIGS = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'].map((end) => `vite.config.${end}`);

/** The configurations that package.json's scripts name, in their order, and the one that vite finds by itself. */
export function viteConfigs({ paths, text }: Listing): readonly string[] {
  const { scripts = {} } = (parseJson(text('package.json') ?? '') ?? {}) as PackageJson;
  const named = Object.values(scripts).flatMap((script) =>
    [...script.matchAll(/\bvite\b[^&|;]*?(?:--config|-c)[ =]"?([^\s"]+)/g)].map(([, path = '']) =>
      join(path),
    ),
  );
  return [...new Set([...named, ...CONFIGS])].filter((path) => paths.includes(path));
}

/** What the first configuration says of a key, or the first that says anything. */
function setting(listing: Listing, key: string): string | null {
  const texts = viteConfigs(listing).map((path) => listing.text(path) ?? '');
  return texts.map((text) => literalOf(text, key)).find((value) => value !== null) ?? null;
}

/** Where vite looks for pages and for what is not built, from the folder of package.json. */
export const viteRoot = (listing: Listing): string => setting(listing, 'root') ?? '.';
export const publicFolder = (listing: Listing): string =>
  join(viteRoot(listing), setting(listing, 'publicDir') ?? 'public');
export const outFolder = (listing: Listing): string =>
  join(viteRoot(listing), setting(listing, 'outDir') ?? 'dist');

function workerChanges(extension: Extension, worker: string): readonly Change[] {
  const { listing } = extension;
  const found = findSource(listing, viteConfigs(listing), worker);
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
  return [lineInWorker(found, file), workerFile(file), ...keptImport(extension, file)];
}
