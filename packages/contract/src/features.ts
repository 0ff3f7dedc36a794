import type { Catalog, GatePreset } from './catalog.ts';

// What stands before a feature, and what a call of it costs.

/** The gate of a feature, or undefined for a feature that the catalogue does not name. */
export function gateOf(catalog: Catalog, feature: string): GatePreset | undefined {
  return Object.hasOwn(catalog.features, feature)
    ? (catalog.features[feature]?.gate ?? catalog.gate)
    : undefined;
}

/**
 * Credits that one call of a feature takes, or holds until it is settled: 0 behind a gate that takes none, 1 where a
 * metered feature names no cost. Undefined for a feature that the catalogue does not name.
 */
export function costOf(catalog: Catalog, feature: string): number | undefined {
  const gate = gateOf(catalog, feature);
  if (gate === undefined) return undefined;
  const { cost, hold } = catalog.features[feature] ?? {};
  return gate === 'metered' ? (cost ?? hold ?? 1) : 0;
}
