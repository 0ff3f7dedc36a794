import { dirname, join } from 'node:path/posix';
import type { Adapter, Change } from '../change.ts';
import { parseJson } from '../edits/json.ts';
import { manifestChanges } from '../edits/manifest.ts';
import { installChanges } from '../edits/package.ts';
import { addFirstLine, addLastLine, isModule, relativeTo, says } from '../edits/script.ts';
import type { Extension, Listing, ManifestFile, PackageJson } from '../extension.ts';
import { packagesOf } from '../extension.ts';
import { configOfJson } from '../templates/catalog.ts';
import { webpackWrapper } from '../templates/webpack.ts';
import { workerModule } from '../templates/worker.ts';
import { loosePage, pageFiles, plain } from './plain.ts';

const WRAPPER = 'billing/webpack.cjs';
const PAGE = ['page.html', 'page.css', 'catalog.json'];

/**
 * webpack bundles the worker; billing's page is put beside what it builds by a plugin, in one line behind the owner's
 * configuration, whatever that looks like.
 */
export const webpack: Adapter = {
  kind: 'webpack',
  makesManifest: false,
  recognises: ({ paths }, packageJson) =>
    Object.hasOwn(packagesOf(packageJson), 'webpack') &&
    paths.some((path) => /(^|\/)manifest\.json$/.test(path)),
  changes: (extension, client) => {
    const { manifest, listing } = extension;
    if (manifest === null) return [];
    const worker = manifest.value.background?.service_worker;
    // A worker that lies beside the manifest is not built: then nothing of billing has to be.
    if (worker === undefined || listing.paths.includes(join(dirname(manifest.path), worker))) {
      return plain.changes(extension, client);
    }
    return [
      ...installChanges(extension, client),
      ...manifestChanges(manifest),
      ...workerChanges(extension, worker),
      ...pageChanges(extension, manifest),
    ];
  },
  next: ({ packageJson }) => ({
    build: packageJson?.scripts?.build === undefined ? 'npx webpack --mode production' : 'npm run build',
    load: '.',
  }),
};

/**
 * A tsconfig.json that names nothing takes every TypeScript file of the folder into the extension's own build, where what
 * the local service reads does not belong (TS6059).
 */
function configName({ listing }: Extension): string {
  const options = parseJson(listing.text('tsconfig.json') ?? '');
  if (typeof options !== 'object' || options === null) return 'billing.config.ts';
  const { files, include } = options as { files?: unknown; include?: unknown };
  const isAll = (path: unknown): boolean => /^(?:\.\/?)?(?:\*\*.*)?$/.test(String(path));
  const takesAll = Array.isArray(include) ? include.some(isAll) : files === undefined;
  return takesAll ? 'billing.config.mjs' : 'billing.config.ts';
}

function workerChanges({ listing, packageJson }: Extension, worker: string): readonly Change[] {
  const found = findSource(listing, configFiles(listing, packageJson), worker);
  const why = 'billing’s part of the background, before anything else of it';
  const file = join(found === null ? 'src' : dirname(found), 'billing/background.js');
  const create: Change = {
    kind: 'create',
    path: file,
    text: workerModule('@extension-billing/client/background'),
    why: 'the call of billing, with the addresses of the local service',
  };
  if (found === null) {
    const lines = ["import './billing/background.js';"];
    return [{ kind: 'by-hand', path: `the source of ${worker}`, lines, why }, create];
  }
  const name = relativeTo(found, file);
  const isCommonJs = (text: string): boolean => !isModule(text) && says(text, 'require(');
  return [
    {
      kind: 'edit',
      path: found,
      why,
      lines: [`import '${name}';`],
      edit: (text) => addFirstLine(text, isCommonJs(text) ? `require('${name}');` : `import '${name}';`),
    },
    create,
  ];
}

/** The configurations that package.json's scripts name, else the one that webpack finds by itself. */
function configFiles({ paths }: Listing, packageJson: PackageJson | null): readonly string[] {
  const scripts = Object.values(packageJson?.scripts ?? {});
  const named = scripts.flatMap((script) =>
    [...script.matchAll(/\bwebpack\b[^&|;]*?(?:--config|-c)[ =]"?([^\s"]+)/g)].map(([, path = '']) =>
      join(path),
    ),
  );
  const known = [...new Set(named)].filter((path) => paths.includes(path));
  if (known.length > 0) return known;
  const usual = ['js', 'cjs', 'mjs', 'ts']
    .map((end) => `webpack.config.${end}`)
    .find((name) => paths.includes(name));
  return [usual ?? 'webpack.config.js'];
}

const SCRIPT = /\.(?:[cm]?[jt]s|[jt]sx)$/;

/** The configurations and what lies beside them, which they may be merged of. */
function textsBeside(listing: Listing, configs: readonly string[]): readonly string[] {
  const folders = new Set(configs.map((path) => dirname(path)));
  return listing.paths
    .filter((path) => folders.has(dirname(path)) && SCRIPT.test(path))
    .map((path) => listing.text(path) ?? '');
}

/** The file that webpack makes the worker of: by the configuration's entry, else by its name. Null where neither is sure. */
export function findSource(listing: Listing, configs: readonly string[], worker: string): string | null {
  const name = (worker.split('/').at(-1) ?? '').split('.')[0] ?? '';
  const scripts = listing.paths.filter(
    (path) => SCRIPT.test(path) && !/\.d\.ts$|\.(?:test|spec)\.|(?:^|\/)billing\/background\.js$/.test(path),
  );
  const texts = textsBeside(listing, configs);
  const entry = new RegExp(`(?:^|[\\s{,'"])${name.replaceAll(/\W/g, '\\$&')}['"]?\\s*:\\s*([^\\n]*)`, 'm');
  const named = texts.flatMap((text) => {
    const [, value = ''] = entry.exec(text) ?? [];
    const pieces = [...value.matchAll(/['"`]([^'"`]+)['"`]/g)].map(([, piece = '']) => piece);
    return pieces.length === 0 ? [] : [join('/', ...pieces.filter((piece) => !/^\.\.?$/.test(piece)))];
  });
  const withEnd = (path: string): readonly string[] =>
    scripts.filter((script) => {
      const whole = `/${script}`;
      return whole.endsWith(path) || whole.replace(SCRIPT, '').endsWith(path);
    });
  const byEntry = new Set(named.flatMap(withEnd));
  const byName = scripts.filter((path) =>
    new RegExp(`(?:^|/)${name.replaceAll(/\W/g, '\\$&')}(?:/index)?${SCRIPT.source}`, 'i').test(path),
  );
  for (const found of [[...byEntry], byName]) {
    const [only] = found;
    if (found.length === 1 && only !== undefined) return only;
  }
  return null;
}

/**
 * Billing's page in what webpack builds: by one line behind each configuration; where one of them cannot be edited surely,
 * in the folder that they copy whole, as far as that can be told.
 */
function pageChanges(extension: Extension, manifest: ManifestFile): readonly Change[] {
  const { listing, packageJson } = extension;
  const configs = configFiles(listing, packageJson);
  const folder = dirname(manifest.path);
  const isEditable = configs.every((path) => wrapped(extension, path, listing.text(path) ?? '') !== null);
  if (!isEditable && copiesWhole(listing, configs, folder)) {
    return [catalogConfig(extension, join(folder, 'billing')), ...loosePage(join(folder, 'billing'))];
  }
  return [
    catalogConfig(extension, 'billing'),
    ...pageFiles('billing'),
    {
      kind: 'create',
      path: WRAPPER,
      text: webpackWrapper(PAGE),
      why: 'copies billing’s page into what webpack builds',
    },
    ...configs.map((path) => wrapChange(extension, path)),
  ];
}

const catalogConfig = (extension: Extension, folder: string): Change => ({
  kind: 'create',
  path: configName(extension),
  text: configOfJson(join(folder, 'catalog.json')),
  why: 'what the local service sells',
});

/** Whether a copy plugin's pattern names the folder itself: `from: 'public'`, or as the `context` of another one. */
function copiesWhole(listing: Listing, configs: readonly string[], folder: string): boolean {
  const name = folder.replaceAll(/[^\w/-]/g, '\\$&');
  const start = '(?:from|context):\\s*(?:[\\w.]+\\([^)\\n]*)?[\'"`](?:\\./)?';
  const pattern = new RegExp(`\\b${start}${name}/?(?:\\*\\*(?:/\\*)?)?['"\`]`);
  return folder !== '.' && textsBeside(listing, configs).some((text) => pattern.test(text));
}

/** The one line behind a configuration. An ES module that gives a name away is changed in that line instead. */
function wrapChange(extension: Extension, path: string): Change {
  const name = relativeTo(path, WRAPPER);
  return {
    kind: 'edit',
    path,
    why: 'billing’s page goes into the build',
    lines: [
      `const withBilling = require('${name}'); // and: module.exports = withBilling(yourConfiguration)`,
    ],
    edit: (text) => wrapped(extension, path, text),
  };
}

/** Null where a configuration cannot be wrapped surely. */
function wrapped({ packageJson }: Extension, path: string, text: string): string | null {
  const name = relativeTo(path, WRAPPER);
  if (says(text, name)) return text;
  if (path.endsWith('.ts')) return null;
  const isEs =
    path.endsWith('.mjs') || isModule(text) || (packageJson?.type === 'module' && !path.endsWith('.cjs'));
  if (!isEs) {
    const line = `module.exports = require('${name}')(module.exports);`;
    return /\bmodule\.exports\s*=/.test(text) ? addLastLine(text, line) : null;
  }
  const given = /^export default (\w+)(;?[ \t]*)$/m;
  if (!given.test(text)) return null;
  return text.replace(given, `export default (await import('${name}')).default($1)$2`);
}
