import type { App, Catalog } from '@extension-billing/contract/catalog';

/** What an extension offers; the catalogue itself where it is the only one. */
export function soldIn(catalog: Catalog, app: App | null): Catalog {
  if (app === null) return catalog;
  const isSold = ({ lookupKey }: { readonly lookupKey: string }): boolean => app.sells.includes(lookupKey);
  return { ...catalog, plans: catalog.plans.filter(isSold), packs: catalog.packs.filter(isSold) };
}
