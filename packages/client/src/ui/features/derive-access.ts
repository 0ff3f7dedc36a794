import { costOf, gateOf, type Pricing } from '@extension-billing/contract/pricing';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';

/** Whether a user can run a feature now, and what it takes. The server decides the same way and has the last word. */
export type FeatureAccess =
  /** Behind no gate. */
  | { readonly kind: 'open' }
  /** Behind a paywall that this user has passed. */
  | { readonly kind: 'included' }
  | { readonly kind: 'needs_plan' }
  /** Metered, and credits are not in use on this account: nothing is spent (specification, "Credit balance moves", 3). */
  | { readonly kind: 'free' }
  | { readonly kind: 'costs' | 'needs_credits'; readonly cost: number };

/** A feature that the catalog does not name counts as open: the server refuses it and says why. */
export function deriveAccess(
  feature: string,
  { paid, credits }: Pick<EntitlementSnapshot, 'paid' | 'credits'>,
  catalog: Pricing,
): FeatureAccess {
  const gate = gateOf(catalog, feature) ?? 'none';
  switch (gate) {
    case 'none':
      return { kind: 'open' };
    case 'paywall':
      return { kind: paid ? 'included' : 'needs_plan' };
    case 'metered': {
      if (credits === null) return { kind: 'free' };
      const cost = costOf(catalog, feature) ?? 0;
      return { kind: credits.balance < cost ? 'needs_credits' : 'costs', cost };
    }
    default:
      return gate satisfies never;
  }
}
