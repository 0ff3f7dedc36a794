import type { PlanOffer } from '@extension-billing/contract/pricing';

/** The same plan in the other interval. */
export function siblingOf(plan: PlanOffer, plans: readonly PlanOffer[]): PlanOffer | undefined {
  if (plan.interval === 'year') return monthlyOf(plan, plans);
  if (plan.interval === 'once') return undefined;
  return plans.find((other) => other.interval === 'year' && monthlyOf(other, plans) === plan);
}

/**
 * The monthly offer of a yearly plan: of those with its name, allowance and currency the one of which twelve months come
 * closest, and cost no less where there is such a one.
 */
function monthlyOf(yearly: PlanOffer, plans: readonly PlanOffer[]): PlanOffer | undefined {
  const distance = ({ amount }: PlanOffer): number => {
    const saving = amount * 12 - yearly.amount;
    return saving >= 0 ? saving : yearly.amount * 12 - saving;
  };
  return plans
    .filter(
      (plan) =>
        plan.interval === 'month' &&
        plan.name === yearly.name &&
        plan.monthlyCredits === yearly.monthlyCredits &&
        plan.currency === yearly.currency,
    )
    .toSorted((a, b) => distance(a) - distance(b))[0];
}
