import { fileURLToPath } from 'node:url';

const SERVICE = '/functions/src/catalog.ts';
const TEST_CATALOG = fileURLToPath(new URL('../../packages/contract/test/catalog.ts', import.meta.url));

/**
 * The service sells the tests' catalogue where it runs inside a test: a changed price turns no test of the core red.
 * Who is about the shipped file imports it.
 */
export const testCatalog = {
  name: 'billing:test-catalog',
  enforce: 'pre' as const,
  resolveId: (source: string, importer?: string) =>
    source.endsWith('/billing.config.ts') && importer?.endsWith(SERVICE) ? TEST_CATALOG : null,
};
