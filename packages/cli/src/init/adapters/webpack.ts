import { dirname, join } from 'node:path/posix';
import type { Adapter, Change } from '../change.ts';
import { manifestChanges } from '../edits/manifest.ts';
import { BILLING_PAGE } from '../edits/needed.ts';
import { installChanges } from '../edits/package.ts';
import { addLastLine, isModule, relativeTo, says } from '../edits/script.ts';
import type { Extension, Listing, ManifestFile, PackageJson } from '../extension.ts';
import { packagesOf } from '../extension.ts';
import { webpackWrapper } from '../templates/webpack.ts';
import { builtWorkerChanges, textsBeside } from './built-worker.ts';
import { configOfData } from './bundled.ts';
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
  recognises: (_, packageJson, manifest) =>
    Object.hasOwn(packagesOf(packageJson), 'webpack') && manifest !== null,
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
      ...manifestChanges(manifest, pageBeside(worker)),
      ...builtWorkerChanges(extension, configFiles(listing, extension.packageJson), worker),
      ...pageChanges(extension, manifest, worker),
    ];
  },
  next: ({ packageJson }) => ({
    build: packageJson?.scripts?.build === undefined ? 'webpack --mode production' : 'build',
    load: '.',
  }),
};

/** Billing's page in the build: beside the worker, whose place webpack and the manifest both name. */
const pageBeside = (worker: string): string => join(dirname(worker), BILLING_PAGE);

/** The configurations that package.json's scripts name, and the one that webpack finds by itself; none twice by a merge. */
function configFiles(listing: Listing, packageJson: PackageJson | null): readonly string[] {
  const scripts = Object.values(packageJson?.scripts ?? {});
  const named = scripts.flatMap((script) =>
    [...script.matchAll(/\bwebpack\b[^&|;]*?(?:--config|-c)[ =]"?([^\s"]+)/g)].map(([, path = '']) =>
      join(path),
    ),
  );
  const usual = ['js', 'cjs', 'mjs', 'ts'].map((end) => `webpack.config.${end}`);
  const known = [...new Set([...named, ...usual])].filter((path) => listing.paths.includes(path));
  return known.filter((path) => !known.some((other) => other !== path && imports(listing, path, other)));
}

/** Whether a script names another one, itself or by way of scripts beside it. */
function imports(listing: Listing, path: string, other: string, seen: readonly string[] = []): boolean {
  const text = listing.text(path) ?? '';
  const names = (file: string): boolean => {
    const name = relativeTo(path, file)
      .replace(/\.[cm]?[jt]s$/, '')
      .replaceAll(/[^\w/-]/g, '\\$&');
    return new RegExp(`['"\`]${name}(?:\\.[cm]?[jt]s)?['"\`]`).test(text);
  };
  if (names(other)) return true;
  const beside = listing.paths.filter(
    (file) => dirname(file) === dirname(path) && /\.[cm]?[jt]s$/.test(file),
  );
  return beside.some(
    (file) =>
      file !== path && !seen.includes(file) && names(file) && imports(listing, file, other, [...seen, path]),
  );
}

/** The script that calls webpack's API, where there is no configuration: the one that package.json runs, else any. */
function apiScript({ paths, text }: Listing, packageJson: PackageJson | null): string | null {
  const run = Object.values(packageJson?.scripts ?? {}).flatMap((script) =>
    [...script.matchAll(/[\w./-]+\.[cm]?[jt]s\b/g)].map(([path]) => join(path)),
  );
  const calls = (path: string): boolean => /\bwebpack\(/.test(text(path) ?? '');
  return (
    [...run, ...paths.filter((path) => /\.[cm]?[jt]s$/.test(path))].find(
      (path) => paths.includes(path) && calls(path),
    ) ?? null
  );
}

/**
 * Billing's page in what webpack builds: by one line behind each configuration; where one of them cannot be edited surely,
 * in the folder that they copy whole, as far as that can be told.
 */
function pageChanges(extension: Extension, manifest: ManifestFile, worker: string): readonly Change[] {
  const { listing, packageJson } = extension;
  const configs = configFiles(listing, packageJson);
  const folder = dirname(manifest.path);
  const isEditable =
    configs.length > 0 &&
    configs.every((path) => wrapped(extension, path, listing.text(path) ?? '') !== null);
  // There the page is beside the manifest, and the copy takes it along.
  if (!isEditable && dirname(worker) === '.' && copiesWhole(listing, configs, folder)) {
    return [configOfData(join(folder, 'billing')), ...loosePage(join(folder, 'billing'))];
  }
  return [
    configOfData('billing'),
    ...pageFiles('billing', join(dirname(worker), 'billing')),
    {
      kind: 'create',
      path: WRAPPER,
      text: webpackWrapper(PAGE, worker),
      why: 'adds billing’s page to what webpack builds',
    },
    ...configs.map((path) => wrapChange(extension, path)),
    ...(configs.length > 0 ? [] : [wrapByHand(apiScript(listing, packageJson))]),
  ];
}

/** Whether a copy plugin's pattern names the folder itself: `from: 'public'`, or as the `context` of another one. */
function copiesWhole(listing: Listing, configs: readonly string[], folder: string): boolean {
  const name = folder.replaceAll(/[^\w/-]/g, '\\$&');
  const start = '(?:from|context):\\s*(?:[\\w.]+\\([^)\\n]*)?[\'"`](?:\\./)?';
  const pattern = new RegExp(`\\b${start}${name}/?(?:\\*\\*(?:/\\*)?)?['"\`]`);
  return folder !== '.' && textsBeside(listing, configs).some((text) => pattern.test(text));
}

const wrapByHand = (script: string | null): Change => ({
  kind: 'by-hand',
  path: script ?? 'the script that runs webpack',
  why: 'billing’s page goes into the build: wrap the configuration that you give to webpack',
  lines: [
    `import withBilling from '${relativeTo(script ?? 'x', WRAPPER)}'; // in CommonJS: require('${relativeTo(script ?? 'x', WRAPPER)}')`,
    'webpack(withBilling(yourConfiguration), …)',
  ],
});

/** The one line behind a configuration. An ES module that gives a name away is changed in that line instead. */
function wrapChange(extension: Extension, path: string): Change {
  const name = relativeTo(path, WRAPPER);
  return {
    kind: 'edit',
    path,
    why: 'billing’s page goes into the build',
    lines: [
      `const withBilling = require('${name}'); // in an ES module: import withBilling from '${name}';`,
      'module.exports = withBilling(yourConfiguration); // export default withBilling(yourConfiguration);',
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
