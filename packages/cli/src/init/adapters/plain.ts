import { dirname, join } from 'node:path/posix';
import type { Adapter, Change } from '../change.ts';
import { backgroundChange, manifestChanges, scriptsChange } from '../edits/manifest.ts';
import { addFirstLine, relativeTo } from '../edits/script.ts';
import { type Extension, type Manifest, type ManifestFile, packagesOf } from '../extension.ts';
import { catalogJson, configOfJson } from '../templates/catalog.ts';
import { pageCss, pageHtml } from '../templates/page.ts';
import { workerClassic, workerModule } from '../templates/worker.ts';

const FILE = 'billing/background.js';

/** No bundler: what is in the folder is loaded. The package's own files lie in billing/client. */
export const plain: Adapter = {
  kind: 'plain',
  makesManifest: false,
  recognises: ({ paths }) => paths.some((path) => /(^|\/)manifest\.json$/.test(path)),
  changes: (extension) => {
    const { manifest } = extension;
    if (manifest === null) return [];
    const root = dirname(manifest.path);
    const at = (path: string): string => join(root, path);
    return [
      ...manifestChanges(manifest),
      ...workerChanges(manifest.value, manifest, at),
      {
        kind: 'create',
        path: 'billing.config.ts',
        text: configOfJson(at('billing/catalog.json')),
        why: 'what the local service sells',
      },
      ...loosePage(at('billing')),
      ...buildByHand(extension, at('billing')),
    ];
  },
  next: ({ manifest }) => ({ build: null, load: dirname(manifest?.path ?? '.') }),
};

/** Billing's page and the catalogue that it shows, in a folder that is loaded as it is. */
export function pageFiles(folder: string): readonly Change[] {
  return [
    { kind: 'create', path: join(folder, 'catalog.json'), text: catalogJson(), why: 'what is sold' },
    {
      kind: 'create',
      path: join(folder, 'page.html'),
      text: pageHtml(),
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

/** A tool that `init` does not know may build what is here: whether it copies a folder nobody can tell. */
function buildByHand({ kind, packageJson }: Extension, folder: string): readonly Change[] {
  const tool = Object.keys(packagesOf(packageJson)).find((name) => OTHER_BUNDLERS.test(name));
  if (kind !== 'plain' || tool === undefined) return [];
  return [
    {
      kind: 'by-hand',
      path: `the configuration of ${tool}`,
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
  return [
    ...(worker === undefined ? [] : [lineIn(at(worker.replace(/^[./]+/, '')), at(FILE), asModule)]),
    ...(scripts === undefined
      ? []
      : [scriptsChange(manifest, asModule ? [FILE] : [`billing/client/${client}`, FILE])]),
    ...whole,
  ];
}

function lineIn(worker: string, file: string, asModule: boolean): Change {
  const line = asModule ? `import '${relativeTo(worker, file)}';` : `importScripts('/${FILE}');`;
  return { kind: 'edit', path: worker, why: ON_TOP, lines: [line], edit: (text) => addFirstLine(text, line) };
}
