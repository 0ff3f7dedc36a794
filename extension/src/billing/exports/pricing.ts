/** The one pricing file: its shape, and the door by which an extension gives its own to the components. */
export type {
  BillingModel,
  FeaturePrice,
  GatePreset,
  LookupKey,
  PackOffer,
  PlanOffer,
  Pricing,
} from '@contract/pricing.ts';
export { costOf, gateOf, offerOf } from '@contract/pricing.ts';
export { providePricing } from '../given-pricing.ts';
