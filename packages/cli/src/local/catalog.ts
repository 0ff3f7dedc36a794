import { pathToFileURL } from 'node:url';
import type { Catalog } from '@extension-billing/contract/catalog';
import shipped from '../../../../billing.config.ts';

const { BILLING_CATALOG: other } = process.env;

/** What the commands and the local simulator sell: `billing.config.ts`, or what BILLING_CATALOG names (a module). */
export const catalog: Catalog = other ? (await import(pathToFileURL(other).href)).default : shipped;
