import type { Catalog } from '@extension-billing/contract/catalog';
import shipped from '../../billing.config.ts';

/**
 * What this service sells, the one place from which it knows. The build puts the checked data of billing.config.ts here
 * (packages/contract/build/inline-catalog.ts); in tests it is the catalogue of the tests (tools/test/test-catalog.ts).
 */
export const catalog: Catalog = shipped;
