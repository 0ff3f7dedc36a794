import type { Catalog } from '@extension-billing/contract/catalog';

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
