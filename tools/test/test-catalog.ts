import { fileURLToPath } from 'node:url';

/** Who tells what is sold: the service, and the owner's commands. */
const READERS = ['/functions/src/catalog.ts', '/packages/cli/src/local/catalog.ts'];
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
    source.endsWith('/billing.config.ts') && READERS.some((reader) => importer?.endsWith(reader))
      ? TEST_CATALOG
      : null,
};
