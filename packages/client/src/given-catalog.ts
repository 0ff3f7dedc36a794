import type { Catalog } from '@extension-billing/contract/catalog';

/** The catalogue that the extension gave: a live binding, read at each render. Reading it before then says what is missing. */
export let givenCatalog: Catalog = new Proxy({} as Catalog, {
  get() {
    throw new Error('No prices yet. Call providePricing(pricing) before the first component renders.');
  },
});

/** Gives the components what is sold and what a feature costs. Call it once, before the first render of a page. */
export function providePricing(given: Catalog): void {
  givenCatalog = given;
}
