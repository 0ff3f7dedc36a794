import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { BUILT_CATALOG } from '../src/built-catalog.ts';
import type { Catalog } from '../src/catalog.ts';
import { type CatalogInput, defineCatalog } from '../src/define-catalog.ts';

/** The catalogue as an absolute or relative import names it. */
export const CATALOG_FILE = /[\\/]billing\.config\.ts$/;

/**
 * The catalogue as a module of plain data, for a bundle: it is checked while the bundle is made, so what checks it stays
 * outside.
 *
 * @param file the absolute path of billing.config.ts; the commands and the suite name another one in BILLING_CATALOG
 * @throws CatalogError where it is not right
 */
export async function catalogAsData(file: string): Promise<string> {
  return `export default ${await catalogAsJson(file)};`;
}

async function catalogAsJson(file: string): Promise<string> {
  // A development server asks again after a change, and an imported module stays as it is.
  const source = process.env.BILLING_CATALOG || file;
  const { href } = pathToFileURL(source);
  const { default: given } = (await import(`${href}?changed=${statSync(source).mtimeMs}`)) as {
    default: Catalog | CatalogInput;
  };
  // An extension without a bundler has its catalogue as data.
  return JSON.stringify(Array.isArray(given.plans) ? given : defineCatalog(given as CatalogInput));
}

/** Without what offers are called at the provider: pages show none of it. */
function forPages(json: string): string {
  return JSON.stringify(JSON.parse(json, (key, value: unknown) => (key === 'product' ? undefined : value)));
}

/** What of a bundler's context the plugin uses. */
interface Bundling {
  getModuleIds(): Iterable<string>;
  emitFile(file: { readonly type: 'asset'; readonly fileName: string; readonly source: string }): unknown;
}

/** The same as a plugin of vite. A build says beside its bundle which catalogue is in it (`billing doctor`). */
export const inlineCatalog = {
  name: 'billing:inline-catalog',
  enforce: 'pre' as const,
  load: async (id: string) =>
    CATALOG_FILE.test(id) ? `export default ${forPages(await catalogAsJson(id))};` : null,
  async generateBundle(this: Bundling) {
    const file = [...this.getModuleIds()].find((id) => CATALOG_FILE.test(id));
    if (file === undefined) return;
    this.emitFile({ type: 'asset', fileName: BUILT_CATALOG, source: await catalogAsJson(file) });
  },
};
