import { ADD_ON_COSTS, MODEL_PLANS } from './catalog.ts';
import type { SubscriptionTruth } from './truth.ts';

/** What the provider charges for a period of a subscription as it is: minor units of its currency. */
export function billOf({ plan, quantity, addOn, currency, discounted }: SubscriptionTruth): number {
  const each = MODEL_PLANS[plan].costs[currency] + (addOn ? ADD_ON_COSTS[currency] : 0);
  return Math.floor((each * quantity) / (discounted ? 2 : 1));
}
