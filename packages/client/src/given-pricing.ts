import type { Pricing } from '../../contract/src/pricing.ts';

/**
 * What the components of a bundle import as `@extension-billing/contract/pricing`: the contract's types and functions, with the
 * extension's own pricing file in the place of the one that is shipped. A live binding, read at each render.
 */
export * from '../../contract/src/pricing.ts';

/** The pricing file that the extension gave. Reading it before then says what is missing. */
export let pricing: Pricing = new Proxy({} as Pricing, {
  get() {
    throw new Error('No prices yet. Call providePricing(pricing) before the first component renders.');
  },
});

/** Gives the components what is sold and what a feature costs. Call it once, before the first render of a page. */
export function providePricing(given: Pricing): void {
  pricing = given;
}
