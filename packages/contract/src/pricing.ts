// Until the backend is given its catalogue (functions/src/compose.ts).
import shipped from '../../../billing.config.ts';
import { type Catalog, isPlanKey as isPlanKeyOf } from './catalog.ts';

export * from './catalog.ts';
export type Pricing = Catalog;
export const pricing: Catalog = shipped;
export const isPlanKey = (lookupKey: unknown): boolean => isPlanKeyOf(pricing, lookupKey);
