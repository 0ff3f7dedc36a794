import { dirname, join } from 'node:path/posix';
import type { Change } from '../change.ts';
import { keptImport } from '../edits/package.ts';
import { addFirstLine, isModule, relativeTo, says } from '../edits/script.ts';
import type { Extension, Listing } from '../extension.ts';
import { workerModule } from '../templates/worker.ts';

/**
 * Billing's part of a worker that a bundler makes: an import in its source, as far as that can be told.
 *
 * @param configs the bundler's configurations
 * @param worker as the manifest names it
 */
export function builtWorkerChanges(
  extension: Extension,
  configs: readonly string[],
  worker: string,
): readonly Change[] {
  const { listing, manifest } = extension;
  const found = findSource(listing, configs, worker, dirname(manifest?.path ?? '.'));
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
    ...keptImport(extension, file),
  ];
}

const SCRIPT = /\.(?:[cm]?[jt]s|[jt]sx)$/;

/** The configurations and what lies beside them, which they may be merged of. */
export function textsBeside(listing: Listing, configs: readonly string[]): readonly string[] {
  const folders = new Set(configs.map((path) => dirname(path)));
  return listing.paths
    .filter((path) => folders.has(dirname(path)) && SCRIPT.test(path))
    .map((path) => listing.text(path) ?? '');
}

/** The file that the worker is made of: by the configuration's entry, else by its name. Null where neither is sure. */
export function findSource(
  listing: Listing,
  configs: readonly string[],
  worker: string,
  folder = '.',
): string | null {
  const name = (worker.split('/').at(-1) ?? '').split('.')[0] ?? '';
  // Another extension, such as one that tests load beside this one.
  const others = listing.paths
    .filter((path) => path.endsWith('/manifest.json') && dirname(path) !== folder)
    .map((path) => `${dirname(path)}/`);
  const scripts = listing.paths.filter(
    (path) =>
      SCRIPT.test(path) &&
      !/\.d\.ts$|\.(?:test|spec)\.|(?:^|\/)billing\/background\.[jt]s$/.test(path) &&
      !others.some((other) => path.startsWith(other)),
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
