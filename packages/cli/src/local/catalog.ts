import { join } from 'node:path';
import type { Catalog } from '@extension-billing/contract/catalog';
import { findConfig } from './find-config.ts';
import { readCatalog } from './read-catalog.ts';
import { ROOT } from './suite.ts';

const shipped = join(ROOT, 'billing.config.ts');
const file = process.env.BILLING_CATALOG || findConfig(process.cwd()) || shipped;
const isShipped = file === shipped;
// A function that this process builds embeds the same file.
if (!isShipped) process.env.BILLING_CATALOG = file;

/**
 * What the commands and the local simulator sell: the billing.config of the folder in which the command is called, else
 * the checkout's. The suite names another one to its own processes in BILLING_CATALOG.
 */
export const catalog: Catalog = isShipped
  ? await readCatalog(shipped, () => import('../../../../billing.config.ts'))
  : await readCatalog(file);
