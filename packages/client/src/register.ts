import type { DefinedCatalog } from '@extension-billing/contract/define-catalog';

/**
 * The extension's own catalogue, for the compiler alone. Where it is told (docs/add-billing.md, "The catalogue"), hooks,
 * components and messages complete its keys and refuse others; where it is not, they take any string:
 *
 * ```ts
 * declare module '@extension-billing/client/pricing' {
 *   interface Register {
 *     catalog: typeof catalog;
 *   }
 * }
 * ```
 */
// biome-ignore lint/suspicious/noEmptyInterface: who installs the package fills it, by declaration merging.
export interface Register {}

type Registered = Register extends {
  readonly catalog: DefinedCatalog<infer Plan, infer Pack, infer Feature, infer Entitlement>;
}
  ? { readonly offer: Plan | Pack; readonly feature: Feature; readonly entitlement: Entitlement }
  : { readonly offer: string; readonly feature: string; readonly entitlement: string };

/** The lookup key of a plan or a pack that the extension sells. */
export type OfferKey = Registered['offer'];
/** The name of a feature in the catalogue. */
export type FeatureKey = Registered['feature'];
/** What a plan may entitle to: `paid`, which any plan does, or a name in the catalogue. */
export type Entitlement = 'paid' | Registered['entitlement'];
