import type { Catalog, PlanOffer } from '@extension-billing/contract/catalog';
import { gateOf } from '@extension-billing/contract/features';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';

/** The plans that open a feature, of those that are sold; null if the user needs none for it. */
export function plansNeeded(
  feature: string,
  { paid, entitlements }: Pick<EntitlementSnapshot, 'paid' | 'entitlements'>,
  catalog: Catalog,
): readonly PlanOffer[] | null {
  const gate = gateOf(catalog, feature);
  if (gate === undefined) return null;
  const needs = catalog.features[feature]?.needs;
  if (needs === undefined) return gate === 'paywall' && !paid ? catalog.plans : null;
  if (paid && entitlements.includes(needs)) return null;
  return catalog.plans.filter(({ grants }) => grants.includes(needs));
}
