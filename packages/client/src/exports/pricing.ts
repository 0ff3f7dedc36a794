/** The one pricing file: its shape, and the door by which an extension gives its own to the components. */
export type {
  BillingModel,
  FeaturePrice,
  GatePreset,
  LookupKey,
  PackOffer,
  PlanOffer,
  Pricing,
} from '@extension-billing/contract/pricing';
export { costOf, gateOf, offerOf } from '@extension-billing/contract/pricing';
export { providePricing } from '../given-pricing.ts';
