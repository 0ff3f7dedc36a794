import { isPlanKey } from '@extension-billing/contract/pricing';
import type { SubscriptionState } from './subscription-fact.ts';

/**
 * Whether a subscription is of something that this project sells: its plan is in the pricing file, or checkout tagged
 * it. Any other price of the account entitles to nothing (docs/decisions/0113-only-this-projects-prices.md).
 */
export function isSold({ lookupKey, tagged }: Pick<SubscriptionState, 'lookupKey' | 'tagged'>): boolean {
  return tagged === true || isPlanKey(lookupKey);
}
