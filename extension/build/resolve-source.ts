import { fileURLToPath } from 'node:url';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The contract in functions/, and in the place of its pricing file the one that an extension gives at run time. */
export const CONTRACT_ALIASES = [
  { find: '@contract/pricing.ts', replacement: here('../src/billing/given-pricing.ts') },
  { find: '@contract-source', replacement: here('../../functions/src/contract') },
  { find: '@contract', replacement: here('../../functions/src/contract') },
];

/** The export condition under which `@extension-billing/client` is its source here, and not what was last built of it. */
export const SOURCE_CONDITION = 'extension-billing-source';
