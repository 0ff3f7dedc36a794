import type { Catalog } from '@extension-billing/contract/catalog';
import { type CatalogInput, defineCatalog } from '@extension-billing/contract/define-catalog';
import { PUBLISHED_FORM, readPublished } from '@extension-billing/contract/published-catalog';

/**
 * The catalogue in a file of the extension: as `billing.config.ts` has it, or as a build wrote it.
 *
 * @param address inside the extension, such as `billing/catalog.json`; from the extension's root, also in a page of a
 * folder
 * @throws Error where the address leads out of the extension, or to no catalogue
 */
export async function readCatalog(address: string, root: string): Promise<Catalog> {
  const url = new URL(address, root);
  if (url.origin !== new URL(root).origin)
    throw new Error(`The catalogue's address has to lead into the extension, and this does not: ${address}`);
  const answer = await fetch(url).catch(() => null);
  if (answer === null || !answer.ok) throw new Error(`There is no catalogue at ${url}.`);
  const text = await answer.text();
  // A build has lists of offers where people write them by their keys.
  const built = readPublished({ form: PUBLISHED_FORM, version: 1, catalog: text });
  return built?.catalog ?? defineCatalog(JSON.parse(text) as CatalogInput);
}
