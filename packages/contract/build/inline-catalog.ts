import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** The catalogue as an absolute or relative import names it. */
export const CATALOG_FILE = /[\\/]billing\.config\.ts$/;

/**
 * The catalogue as a module of plain data, for a bundle: it is checked while the bundle is made, so what checks it stays
 * outside.
 *
 * @param file the absolute path of billing.config.ts; BILLING_CATALOG in the environment names another one
 * @throws CatalogError where it is not right
 */
export async function catalogAsData(file: string): Promise<string> {
  // A development server asks again after a change, and an imported module stays as it is.
  const source = process.env.BILLING_CATALOG || file;
  const { href } = pathToFileURL(source);
  const { default: catalog } = await import(`${href}?changed=${statSync(source).mtimeMs}`);
  return `export default ${JSON.stringify(catalog)};`;
}

/** The same as a plugin of vite. */
export const inlineCatalog = {
  name: 'billing:inline-catalog',
  enforce: 'pre' as const,
  load: (id: string) => (CATALOG_FILE.test(id) ? catalogAsData(id) : null),
};
