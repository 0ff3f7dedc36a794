import type { Catalog, PlanOffer } from '@extension-billing/contract/catalog';
import { costOf, gateOf } from '@extension-billing/contract/features';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { formatCount } from '../format.ts';
import { planName } from '../plans/plan-names.ts';
import { t, tCount } from '../text/texts.ts';
import { plansNeeded } from './plans-needed.ts';

/** Whether a user can run a feature now, and what it takes. */
export type FeatureAccess =
  /** The catalogue does not name it: the server refuses it. */
  | { readonly kind: 'unknown' }
  /** Behind no gate. */
  | { readonly kind: 'open' }
  /** Behind a paywall that this user has passed. */
  | { readonly kind: 'included' }
  /** `plan`: the first of those that bring what the feature needs; absent where any plan will do. */
  | { readonly kind: 'needs_plan'; readonly plan?: PlanOffer }
  /** No plan that is sold here brings what it needs. */
  | { readonly kind: 'not_sold' }
  /** Metered, and nobody is signed in: the account may have credits. */
  | { readonly kind: 'needs_sign_in' }
  /** Metered, and credits are not in use on this account: nothing is spent (specification, "Credit balance moves", 3). */
  | { readonly kind: 'free' }
  | { readonly kind: 'costs'; readonly cost: number }
  | { readonly kind: 'needs_credits'; readonly cost: number; readonly sellsPacks: boolean };

/** Whether a user can run a feature now. The server decides the same way and has the last word. */
export function deriveAccess(
  feature: string,
  snapshot: Pick<EntitlementSnapshot, 'uid' | 'paid' | 'credits' | 'entitlements'>,
  catalog: Catalog,
): FeatureAccess {
  const gate = gateOf(catalog, feature);
  if (gate === undefined) return { kind: 'unknown' };
  const needs = catalog.features[feature]?.needs;
  const plans = plansNeeded(feature, snapshot, catalog);
  if (plans !== null) {
    const [plan] = plans;
    if (plan === undefined) return { kind: 'not_sold' };
    return { kind: 'needs_plan', ...(needs !== undefined && { plan }) };
  }
  switch (gate) {
    case 'none':
      return { kind: needs === undefined ? 'open' : 'included' };
    case 'paywall':
      return { kind: 'included' };
    case 'metered': {
      const { uid, credits } = snapshot;
      const cost = costOf(catalog, feature) ?? 0;
      if (uid === null) return { kind: 'needs_sign_in' };
      if (credits === null) return withoutCredits(catalog, cost);
      return credits.balance < cost ? needsCredits(catalog, cost) : { kind: 'costs', cost };
    }
    default:
      return gate satisfies never;
  }
}

/** An account that never had credits: free ones come with its first run, or it needs some, or none are needed. */
function withoutCredits(catalog: Catalog, cost: number): FeatureAccess {
  if (catalog.free !== null) return { kind: 'costs', cost };
  return catalog.unmetered === 'refuse' ? needsCredits(catalog, cost) : { kind: 'free' };
}

function needsCredits({ packs }: Catalog, cost: number): FeatureAccess {
  return { kind: 'needs_credits', cost, sellsPacks: packs.length > 0 };
}

/** What running a feature takes, in words, or what it needs first. */
export function describeAccess(access: FeatureAccess): string {
  switch (access.kind) {
    case 'unknown':
      return t('featureUnknown');
    case 'not_sold':
      return t('featureNotSold');
    case 'needs_sign_in':
      return t('featureSignIn');
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
      return tCount(access.cost, access.sellsPacks ? 'featureOff' : 'featureShort', formatCount(access.cost));
    default:
      return access satisfies never;
  }
}
