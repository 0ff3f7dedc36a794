import { dirname, join } from 'node:path/posix';
import type { Adapter, Change } from '../change.ts';
import { backgroundChange, manifestChanges, scriptsChange } from '../edits/manifest.ts';
import { installChanges } from '../edits/package.ts';
import { addFirstLine, relativeTo, says } from '../edits/script.ts';
import {
  type Extension,
  type Manifest,
  type ManifestFile,
  type PackageJson,
  packagesOf,
} from '../extension.ts';
import { catalogJson } from '../templates/catalog.ts';
import { pageCss, pageHtml } from '../templates/page.ts';
import { workerClassic, workerModule } from '../templates/worker.ts';
import { builtWorkerChanges } from './built-worker.ts';
import { configOfData } from './bundled.ts';

const FILE = 'billing/background.js';

/** No bundler: what is in the folder is loaded. The package's own files lie in billing/client. */
export const plain: Adapter = {
  kind: 'plain',
  makesManifest: false,
  recognises: (_listing, _packageJson, manifest) => manifest !== null,
  changes: (extension, client) => {
    const { manifest, listing } = extension;
    if (manifest === null) return [];
    const root = dirname(manifest.path);
    const at = (path: string): string => join(root, path);
    const { background } = manifest.value;
    const worker = background?.service_worker ?? background?.scripts?.[0];
    // A worker that isn't beside the manifest is built, by something that init doesn't know.
    const isBuilt =
      worker === undefined
        ? manifest.form !== 'json'
        : !listing.paths.includes(at(worker.replace(/^[./]+/, '')));
    return [
      ...manifestChanges(manifest),
      ...(isBuilt
        ? [
            ...installChanges(extension, client),
            ...builtWorkerChanges(extension, [], worker ?? 'your background'),
          ]
        : workerChanges(manifest.value, manifest, at)),
      configOfData(at('billing')),
      ...loosePage(at('billing')),
      ...buildByHand(extension, at('billing')),
    ];
  },
  next: ({ manifest, packageJson }) => ({
    build: unknownBuilder(packageJson) === undefined || !packageJson?.scripts?.build ? null : 'build',
    load: dirname(manifest?.path ?? '.'),
  }),
};

/**
 * Billing's page and the catalogue that it shows, in a folder that is loaded as it is.
 *
 * @param loaded the folder in the extension that is loaded
 */
export function pageFiles(folder: string, loaded = 'billing'): readonly Change[] {
  return [
    { kind: 'create', path: join(folder, 'catalog.json'), text: catalogJson(), why: 'what is sold' },
    {
      kind: 'create',
      path: join(folder, 'page.html'),
      text: pageHtml(join(loaded, 'catalog.json')),
      why: 'sign-in, plans, packs, balance',
    },
    {
      kind: 'create',
      path: join(folder, 'page.css'),
      text: pageCss(),
      why: 'the page’s look, yours to change',
    },
  ];
}

/** Billing's page and all that it loads, where nothing is bundled. */
export function loosePage(folder: string): readonly Change[] {
  return [
    ...pageFiles(folder),
    {
      kind: 'copy',
      path: join(folder, 'client/elements.js'),
      file: 'elements.js',
      why: 'the elements of the page, as the package has them',
    },
    licence(folder, 'LICENSE'),
    licence(folder, 'licenses/elements.md'),
  ];
}

const licence = (folder: string, file: string): Change => ({
  kind: 'copy',
  path: join(folder, 'client', file),
  file,
  why: 'whose code these files are',
});

const OTHER_BUNDLERS =
  /^(?:parcel|@parcel\/.*|rollup|esbuild|@rspack\/.*|rspack|gulp|tsup|snowpack|browserify)$/;

const unknownBuilder = (packageJson: PackageJson | null): string | undefined =>
  Object.keys(packagesOf(packageJson)).find((name) => OTHER_BUNDLERS.test(name));

/** A tool that `init` does not know may build what is here: whether it copies a folder nobody can tell. */
function buildByHand({ kind, packageJson }: Extension, folder: string): readonly Change[] {
  const tool = unknownBuilder(packageJson);
  if (kind !== 'plain' || tool === undefined) return [];
  return [
    {
      kind: 'by-hand',
      path: `your build (${tool})`,
      lines: [`${folder}/ → billing/, beside the manifest of what it builds`],
      why: 'the folder has to be copied as it is, where your build does not do that already',
    },
  ];
}

const ON_TOP = 'billing’s part of the background, before anything else of it';

function workerChanges(
  { background = {} }: Manifest,
  manifest: ManifestFile,
  at: (path: string) => string,
): readonly Change[] {
  const { service_worker: worker, scripts } = background;
  const isNew = worker === FILE || (worker === undefined && scripts === undefined);
  const asModule = isNew || background.type === 'module';
  const client = asModule ? 'background.js' : 'background.classic.js';
  const whole: readonly Change[] = [
    {
      kind: 'create',
      path: at(FILE),
      text: asModule ? workerModule(`./client/${client}`) : workerClassic(`/billing/client/${client}`),
      why: 'the call of billing, with the addresses of the local service',
    },
    {
      kind: 'copy',
      path: at(`billing/client/${client}`),
      file: client,
      why: 'the package’s worker in one file: nothing to install',
    },
    licence(at('billing'), `licenses/${client.replace(/js$/, 'md')}`),
  ];
  if (isNew) return [backgroundChange(manifest, FILE), ...whole];
  // A document that runs the worker's own script gets billing with it if that is a module.
  const isListed =
    asModule && worker !== undefined && (scripts ?? []).some((script) => nameOf(script) === nameOf(worker));
  return [
    ...(worker === undefined ? [] : [lineIn(at(nameOf(worker)), at(FILE), asModule)]),
    ...(scripts === undefined || isListed
      ? []
      : [scriptsChange(manifest, asModule ? [FILE] : [`billing/client/${client}`, FILE])]),
    ...whole,
  ];
}

const nameOf = (script: string): string => script.replace(/^[./]+/, '');

/** Firefox runs the same script in a document if the manifest names `scripts`, too: nothing is imported there. */
function lineIn(worker: string, file: string, asModule: boolean): Change {
  const call = `importScripts('/${FILE}');`;
  const line = asModule
    ? `import '${relativeTo(worker, file)}';`
    : `if (typeof importScripts === 'function') ${call}`;
  const edit = (text: string): string =>
    says(text, asModule ? line : call) ? text : addFirstLine(text, line);
  return { kind: 'edit', path: worker, why: ON_TOP, lines: [line], edit };
}
