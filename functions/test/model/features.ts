import { catalog } from '../../src/catalog.ts';

/** What a consume can spend on, from the catalogue: the model's small packs make these costs matter. */
export const FEATURES = [
  { name: 'demo', cost: catalog.features.demo?.cost ?? 0 },
  { name: 'demo_deep', cost: catalog.features.demo_deep?.cost ?? 0 },
] as const;
