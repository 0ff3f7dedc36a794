import { join } from 'node:path';
import type { Catalog } from '@extension-billing/contract/catalog';
import { readCatalog } from './read-catalog.ts';
import { ROOT } from './suite.ts';

const { BILLING_CATALOG: other } = process.env;

/** What the commands and the local simulator sell: `billing.config.ts`, or what BILLING_CATALOG names (a module). */
export const catalog: Catalog = other
  ? await readCatalog(other)
  : await readCatalog(join(ROOT, 'billing.config.ts'), () => import('../../../../billing.config.ts'));
