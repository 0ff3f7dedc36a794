import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parseJson } from '../../packages/cli/src/init/edits/json.ts';
import { findConfig } from '../../packages/cli/src/local/find-config.ts';
import { readCatalog } from '../../packages/cli/src/local/read-catalog.ts';

/** Somebody's extension, as `npm start -- --extension <folder>` runs the suite for it. */
export interface GivenExtension {
  /** The folder to load, without links. */
  readonly folder: string;
  readonly id: string;
  /** What its manifest calls it; its folder's name if that is a message of a locale. */
  readonly name: string;
  /** The address of a page of it where billing is, or its first page. */
  readonly page: string;
  /** Its billing.config.ts; null where it has none, and the checkout's own is sold. */
  readonly config: string | null;
}

interface LoadedManifest {
  readonly name?: string;
  readonly key?: string;
  readonly background?: { readonly service_worker?: string; readonly scripts?: readonly string[] };
  readonly options_page?: string;
  readonly options_ui?: { readonly page?: string };
  readonly action?: { readonly default_popup?: string };
}

/** Where tools put what they build, as far as the names are usual; the newest build is taken. */
const BUILT = ['dist', 'build', 'out', 'distribution', 'chrome', 'chromium', 'dist_chrome'];
const BUILT_FOR_A_BROWSER = ['.output', ...BUILT];
/** Where the sources are, which are what is loaded where nothing builds. */
const SOURCES = ['.', 'src', 'extension', 'app', 'public'];
/** What `init` calls billing's page, by what builds the extension. */
const BILLING_PAGES = ['billing/page.html', 'billing.html'];

/**
 * Finds what is to be loaded of somebody's folder: itself, or what its tool built in it.
 *
 * @throws Error saying what to do, where there is nothing to load
 */
export function findExtension(given: string): GivenExtension {
  // npm runs scripts in the checkout, wherever it was called.
  const root = resolve(process.env.INIT_CWD ?? '.', given);
  if (!existsSync(root)) throw new Error(`There is no folder ${root}.`);
  const [newest] = candidates(root)
    .filter(isLoadable)
    .toSorted((one, other) => builtAt(other) - builtAt(one));
  const found = newest ?? SOURCES.map((name) => join(root, name)).find(isLoadable);
  if (found === undefined) {
    throw new Error(
      `There is nothing to load in ${root}: no manifest.json with its worker beside it. Build the extension first, or name the folder that the build writes.`,
    );
  }
  const folder = realpathSync(found);
  const manifest = readManifest(folder);
  const id = idOf(folder, manifest?.key);
  const page = BILLING_PAGES.find((name) => existsSync(join(folder, name))) ?? ownPage(manifest);
  return {
    folder,
    id,
    name: manifest?.name === undefined || manifest.name.startsWith('__MSG_') ? basename(root) : manifest.name,
    page: page === undefined ? 'chrome://extensions' : `chrome-extension://${id}/${page.replace(/^\/+/, '')}`,
    config: findConfig(root),
  };
}

const ownPage = (manifest: LoadedManifest | null): string | undefined =>
  manifest?.options_ui?.page ?? manifest?.options_page ?? manifest?.action?.default_popup;

function candidates(root: string): readonly string[] {
  const named = BUILT.map((name) => join(root, name));
  const inside = BUILT_FOR_A_BROWSER.map((name) => join(root, name))
    .filter(existsSync)
    .flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => /chrom/i.test(name))
        .map((name) => join(folder, name)),
    );
  return [...new Set([...named, ...inside])];
}

/** A manifest whose worker is there: a source's names a file that the build makes. */
function isLoadable(folder: string): boolean {
  const manifest = readManifest(folder);
  if (manifest === null) return false;
  const { service_worker: worker, scripts = [] } = manifest.background ?? {};
  return [...(worker === undefined ? [] : [worker]), ...scripts].every(
    (script) => /\.[cm]?js$/.test(script) && existsSync(join(folder, script)),
  );
}

const builtAt = (folder: string): number => statSync(join(folder, 'manifest.json')).mtimeMs;

function readManifest(folder: string): LoadedManifest | null {
  const file = join(folder, 'manifest.json');
  if (!existsSync(file)) return null;
  const value = parseJson(readFileSync(file, 'utf8'));
  return typeof value === 'object' && value !== null ? (value as LoadedManifest) : null;
}

/**
 * The id that Chromium gives an unpacked extension: of its public key, where the manifest has one, else of its folder's
 * path (components/crx_file/id_util.cc): the first half of the SHA-256, its hex digits written as the letters a to p.
 */
export function idOf(folder: string, key?: string, platform: NodeJS.Platform = process.platform): string {
  const path = folder.replace(/^[a-z]:/, (drive) => drive.toUpperCase());
  const bytes =
    key === undefined
      ? Buffer.from(path, platform === 'win32' ? 'utf16le' : 'utf8')
      : Buffer.from(key, 'base64');
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
  return digest.replaceAll(/./g, (digit) => 'abcdefghijklmnop'[Number.parseInt(digit, 16)] ?? '');
}

/**
 * What the extension sells, checked and written as data to a file that the suite can be given. It is named by what is in
 * it, so that another catalogue is another build of the function.
 *
 * @returns its path
 * @throws Refusal if it can't be read or sold
 */
export async function writeSoldCatalog(config: string, suites: string): Promise<string> {
  const text = `export default ${JSON.stringify(await readCatalog(config))};\n`;
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const folder = join(suites, 'catalogs');
  const name = basename(dirname(config)).replaceAll(/\W/g, '-').slice(0, 40);
  const file = join(folder, `${name}-${digest}.mjs`);
  mkdirSync(folder, { recursive: true });
  if (!existsSync(file)) writeFileSync(file, text);
  return file;
}
