import { fileURLToPath } from 'node:url';

/** What tells the owner's commands what is sold; the service is given it. */
const READER = '/packages/cli/src/local/catalog.ts';
export const TEST_CATALOG = fileURLToPath(
  new URL('../../packages/contract/test/catalog.ts', import.meta.url),
);

/**
 * What runs inside a test sells the tests' catalogue: a changed price turns no test of the core red. A test that is about
 * the shipped file imports it.
 */
export const testCatalog = {
  name: 'billing:test-catalog',
  enforce: 'pre' as const,
  resolveId: (source: string, importer?: string) =>
    source.endsWith('/billing.config.ts') && importer?.endsWith(READER) ? TEST_CATALOG : null,
};
