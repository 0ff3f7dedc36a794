import { type Catalog, offersOf, productName } from '@extension-billing/contract/catalog';

/** Names the extensions to which `sign-in.html` may hand a link. From the checkout's root. */
export const EXTENSIONS_FILE = 'public/billing/extensions.js';

/** The ids of all extensions that the service lets in: those of `BILLING_EXTENSION_IDS`, and the catalogue's apps. */
export function configuredExtensions(parameter: string, { apps }: Pick<Catalog, 'apps'>): readonly string[] {
  const listed = parameter.split(',').map((id) => id.trim());
  return [...new Set([...listed, ...Object.keys(apps)])].filter((id) => id !== '');
}

export function extensionsModule(ids: readonly string[]): string {
  return `// The extensions to which a sign-in link may be handed. Written by \`npx billing deploy\` (BILLING_EXTENSION_IDS).
export const EXTENSION_IDS = ${JSON.stringify(ids)};
`;
}

/** Names what can be bought, for the page after a purchase. From the checkout's root. */
export const PRODUCTS_FILE = 'public/billing/products.js';

export function productsModule(catalog: Catalog): string {
  const names = Object.fromEntries(offersOf(catalog).map((offer) => [offer.lookupKey, productName(offer)]));
  return `// What is sold, by lookup key. Written by \`npx billing deploy\` (billing.config.ts).
export const PRODUCTS = ${JSON.stringify(names)};
`;
}
