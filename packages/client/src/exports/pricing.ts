/** The catalogue's shape, and the door by which an extension gives its own to the components. */

export { CatalogError, defineCatalog } from '@extension-billing/contract';
export type {
  BillingModel,
  Catalog as Pricing,
  FeaturePrice,
  GatePreset,
  LookupKey,
  PackOffer,
  PlanOffer,
} from '@extension-billing/contract/catalog';
export { costOf, gateOf, offerOf } from '@extension-billing/contract/catalog';
export { providePricing } from '../given-catalog.ts';
