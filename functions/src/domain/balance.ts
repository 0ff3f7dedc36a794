import type { CreditParts } from '@extension-billing/contract/available-credits';

/**
 * The two parts of a credit balance. Whole credits, never negative.
 * The spendable balance is their sum; the allowance is replaced every month, pack credits never expire
 * (specification, "Credit balance moves").
 */
export type Balances = CreditParts;

export function totalOf(balances: Balances): number {
  return balances.allowance + balances.packs;
}

/**
 * The balances after a spend of `cost` credits: the allowance first, then pack credits.
 * Null when they do not cover the cost; nothing is spent in part.
 */
export function spend(balances: Balances, cost: number): Balances | null {
  if (totalOf(balances) < cost) return null;
  const fromAllowance = Math.min(balances.allowance, cost);
  return { allowance: balances.allowance - fromAllowance, packs: balances.packs - (cost - fromAllowance) };
}
