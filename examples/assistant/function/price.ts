import type { Catalog } from '@extension-billing/contract/catalog';
import { measuredCost } from '@extension-billing/contract/measured';
import type { Rate } from '../gateway/bounds.ts';
import { POOLS, type Pool } from '../gateway/usage.ts';
import type { Price } from './call.ts';

/**
 * What a feature costs as the catalogue says it.
 *
 * @throws Error where it is no feature that a model call can be charged by
 */
export function priceIn({ features }: Pick<Catalog, 'features'>, name: string): Price {
  const feature = Object.hasOwn(features, name) ? features[name] : undefined;
  const { hold, rates = {} } = feature ?? {};
  const missing = POOLS.find((pool) => !Object.hasOwn(rates, pool));
  if (feature === undefined || hold === undefined || missing !== undefined) {
    throw new Error(
      `billing.config.ts has to give the feature "${name}" a hold and rates for ${POOLS.join(', ')}.`,
    );
  }
  const priced = rates as Readonly<Record<Pool, Rate>>;
  return { hold, rates: priced, costOf: (usage) => measuredCost(feature, usage) };
}
