import type { EntitlementSnapshot } from '@extension-billing/client/content';
import { derivePlanChoice, type usePricing } from '@extension-billing/client/react';

/** Whether to show plans: the owner of a lifetime plan that has them all is offered none. */
export function sellsPlans(catalog: ReturnType<typeof usePricing>, snapshot: EntitlementSnapshot): boolean {
  const canBuy = catalog.plans.some((plan) => derivePlanChoice(plan, snapshot, catalog).kind === 'buy');
  return catalog.plans.length > 0 && (snapshot.state !== 'lifetime' || canBuy);
}
