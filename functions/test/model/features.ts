import { pricing } from '@extension-billing/contract/pricing';

/** What a consume can spend on, from the catalogue: the model's small packs make these costs matter. */
export const FEATURES = [
  { name: 'demo', cost: pricing.features.demo?.cost ?? 0 },
  { name: 'demo_deep', cost: pricing.features.demo_deep?.cost ?? 0 },
] as const;
