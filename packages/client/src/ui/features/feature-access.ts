import type { Catalog, PlanOffer } from '@extension-billing/contract/catalog';
import { costOf, gateOf } from '@extension-billing/contract/features';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { formatCount } from '../format.ts';
import { planName } from '../plans/plan-names.ts';
import { englishOfFeatures } from '../text/english-of-features.ts';
import { bringTexts, t, tCount } from '../text/texts.ts';

bringTexts(englishOfFeatures);

/** Whether a user can run a feature now, and what it takes. The server decides the same way and has the last word. */
export type FeatureAccess =
  /** Behind no gate. */
  | { readonly kind: 'open' }
  /** Behind a paywall that this user has passed. */
  | { readonly kind: 'included' }
  /** `plan`: the first of those that bring what the feature needs; absent where any plan will do. */
  | { readonly kind: 'needs_plan'; readonly plan?: PlanOffer }
  /** Metered, and credits are not in use on this account: nothing is spent (specification, "Credit balance moves", 3). */
  | { readonly kind: 'free' }
  | { readonly kind: 'costs' | 'needs_credits'; readonly cost: number };

/** A feature that the catalog does not name counts as open: the server refuses it and says why. */
export function deriveAccess(
  feature: string,
  { paid, credits, entitlements }: Pick<EntitlementSnapshot, 'paid' | 'credits' | 'entitlements'>,
  catalog: Catalog,
): FeatureAccess {
  const gate = gateOf(catalog, feature) ?? 'none';
  const needs = gateOf(catalog, feature) === undefined ? undefined : catalog.features[feature]?.needs;
  if (needs !== undefined && !(paid && entitlements.includes(needs))) {
    const plan = catalog.plans.find(({ grants }) => grants.includes(needs));
    return { kind: 'needs_plan', ...(plan !== undefined && { plan }) };
  }
  switch (gate) {
    case 'none':
      return { kind: needs === undefined ? 'open' : 'included' };
    case 'paywall':
      return { kind: paid ? 'included' : 'needs_plan' };
    case 'metered': {
      const cost = costOf(catalog, feature) ?? 0;
      if (credits === null) return withoutCredits(catalog, cost);
      return { kind: credits.balance < cost ? 'needs_credits' : 'costs', cost };
    }
    default:
      return gate satisfies never;
  }
}

/** An account that never had credits: free ones come with its first run, or it needs some, or none are needed. */
function withoutCredits({ free, unmetered }: Catalog, cost: number): FeatureAccess {
  if (free !== null) return { kind: 'costs', cost };
  return unmetered === 'refuse' ? { kind: 'needs_credits', cost } : { kind: 'free' };
}

/** What running a feature takes, in words, or what it needs first. */
export function describeAccess(access: FeatureAccess): string {
  switch (access.kind) {
    case 'open':
      return t('featureOpen');
    case 'included':
      return t('featureIncluded');
    case 'needs_plan':
      return access.plan === undefined
        ? t('featureNeedsPlan')
        : t('featureNeedsNamed', planName(access.plan));
    case 'free':
      return t('featureFree');
    case 'costs':
      return tCount(access.cost, 'featureCost', formatCount(access.cost));
    case 'needs_credits':
      return tCount(access.cost, 'featureOff', formatCount(access.cost));
    default:
      return access satisfies never;
  }
}
