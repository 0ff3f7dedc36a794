import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** Bytes, gzipped at level 9: what a start of the worker reads, and a page at once, styles included. */
export interface BundleSizes {
  readonly background: number;
  readonly popup: number;
  /** Of the popup what is billing's own and the demo's: without React. */
  readonly popupOwn: number;
  readonly optionsOwn: number;
  /** What the popup loads on demand, such as the walls. */
  readonly popupLater: number;
}
export const BUNDLE_LIMITS = {
  background: 115_000,
  popup: 100_000,
  popupOwn: 31_500,
  optionsOwn: 40_500,
} as const;

/** Name of the chunk that holds React. */
export const REACT_FILE = 'react';

/** Measures a built extension: each entry with everything that it imports. */
export function measureBundles(dist: string): BundleSizes {
  const assets = join(dist, 'assets');
  const linkedBy = (page: string): readonly string[] => {
    const html = readFileSync(join(dist, `src/demo/${page}/index.html`), 'utf8');
    return [...html.matchAll(/(?:src|href)="[^"]*assets\/([^"]+\.(?:js|css))"/g)].map(
      ([, name = '']) => name,
    );
  };
  const popup = linkedBy('popup');
  const background = readdirSync(assets).filter((name) => /^background.*\.js$/.test(name));
  const atOnce = reachedFrom(assets, popup, STATIC_IMPORT);
  const later = [...reachedFrom(assets, popup, ANY_IMPORT)].filter((name) => !atOnce.has(name));
  return {
    background: gzipped(assets, reachedFrom(assets, background, ANY_IMPORT)),
    popup: gzipped(assets, atOnce),
    popupOwn: gzipped(assets, ownOf(assets, popup)),
    optionsOwn: gzipped(assets, ownOf(assets, linkedBy('options'))),
    popupLater: gzipped(assets, later),
  };
}

/** Without React, and what nothing but React reads. */
function ownOf(assets: string, entries: readonly string[]): Iterable<string> {
  const isReact = (name: string): boolean => name.startsWith(`${REACT_FILE}-`);
  const all = reachedFrom(assets, entries, STATIC_IMPORT);
  if ([...all].filter(isReact).length !== 1)
    throw new Error('A page has no file of React, or more than one.');
  return reachedFrom(assets, entries, STATIC_IMPORT, isReact);
}

const STATIC_IMPORT = /(?:from|import)\s*["'`]\.\/([^"'`]+\.js)["'`]/g;
/** Also `import('./x.js')`, and the style sheets that come with one. */
const ANY_IMPORT = /["'`](?:\.\/|\/?assets\/)([^"'`]+\.(?:js|css))["'`]/g;

function reachedFrom(
  assets: string,
  entries: readonly string[],
  imports: RegExp,
  isLeftOut: (name: string) => boolean = () => false,
): ReadonlySet<string> {
  if (entries.length === 0)
    throw new Error(`No entry in ${assets}: the build names its files otherwise now.`);
  const reached = new Set<string>();
  const visit = (name: string): void => {
    if (reached.has(name) || isLeftOut(name)) return;
    reached.add(name);
    for (const [, next] of readFileSync(join(assets, name), 'utf8').matchAll(imports)) if (next) visit(next);
  };
  for (const entry of entries) visit(entry);
  return reached;
}

function gzipped(assets: string, names: Iterable<string>): number {
  const sizes = [...names].map((name) => gzipSync(readFileSync(join(assets, name)), { level: 9 }).length);
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Addresses that the Web Store takes for code loaded from elsewhere, and what pages load from another origin. */
const REMOTE_CODE =
  /apis\.google\.com|gstatic\.com|recaptcha\/(?:api|enterprise)\.js|googleapis\.com\/js|(?:src|href)="https?:[^"]*"/g;

/** Every address in a built extension from which code could be loaded, with its file; empty as it should be. */
export function findRemoteCode(dist: string): string[] {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => /\.(js|html)$/.test(file))
    .flatMap((file) => {
      const found = readFileSync(join(dist, file), 'utf8').match(REMOTE_CODE) ?? [];
      return found.map((address) => `${file}: ${address}`);
    });
}
