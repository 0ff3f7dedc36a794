/** The export condition under which `@extension-billing/client` is its source here, and not what was last built of it. */
export const SOURCE_CONDITION = 'extension-billing-source';
