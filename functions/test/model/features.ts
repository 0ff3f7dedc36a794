import { testCatalog } from '@extension-billing/contract/test/catalog';

/** What a consume can spend on, from the catalogue: the model's small packs make these costs matter. */
export const FEATURES = [
  { name: 'demo', cost: testCatalog.features.demo?.cost ?? 0 },
  { name: 'demo_deep', cost: testCatalog.features.demo_deep?.cost ?? 0 },
] as const;
