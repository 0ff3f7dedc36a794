/** The catalogue's shape, and the door by which an extension gives its own to the components. */

export type {
  BillingModel,
  Catalog as Pricing,
  FeaturePrice,
  GatePreset,
  LookupKey,
  PackOffer,
  PlanOffer,
} from '@extension-billing/contract/catalog';
export { offerOf } from '@extension-billing/contract/catalog';
export { CatalogError, defineCatalog } from '@extension-billing/contract/define-catalog';
export { costOf, gateOf } from '@extension-billing/contract/features';
export { pricingLoaded, providePricing } from '../given-catalog.ts';
// With a star: only so can an extension merge its own catalogue into `Register`.
export type * from '../register.ts';
