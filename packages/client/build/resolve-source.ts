import { fileURLToPath } from 'node:url';

/** In the place of the contract's pricing file the one that an extension gives at run time. */
export const CONTRACT_ALIASES = [
  {
    find: '@extension-billing/contract/pricing',
    replacement: fileURLToPath(new URL('../src/given-pricing.ts', import.meta.url)),
  },
];

/** The export condition under which `@extension-billing/client` is its source here, and not what was last built of it. */
export const SOURCE_CONDITION = 'extension-billing-source';
