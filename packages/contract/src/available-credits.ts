import type { Millis } from './customer.ts';
import type { CreditHold, CustomerRecord } from './record.ts';

/** The two parts of a balance, in whole credits. */
export interface CreditParts {
  readonly allowance: number;
  readonly packs: number;
}

/** What `credits` leave of a balance, the allowance first. Never below zero, also where there is less than that. */
export function drawn({ allowance, packs }: CreditParts, credits: number): CreditParts {
  const fromAllowance = Math.min(allowance, credits);
  return { allowance: allowance - fromAllowance, packs: Math.max(0, packs - (credits - fromAllowance)) };
}

/** The holds that hold something at `now`: an expired one is free by the clock alone, whatever is stored. */
export function unexpired(holds: readonly CreditHold[], now: Millis): readonly CreditHold[] {
  return holds.filter(({ expiresAt }) => expiresAt > now);
}

/** Credits that are held at `now`. */
export function heldOf(holds: readonly CreditHold[], now: Millis): number {
  return unexpired(holds, now).reduce((sum, { credits }) => sum + credits, 0);
}

/**
 * What can be spent at `now`: what is owned, less what is held. The one answer to it: consume, reserve, the balance
 * route and the extension's snapshot all ask here.
 */
export function availableCredits(owned: CreditParts, holds: readonly CreditHold[], now: Millis): CreditParts {
  return drawn(owned, heldOf(holds, now));
}

/** The balances of an account without credits. */
export const NO_CREDITS: CreditParts = { allowance: 0, packs: 0 };

/** The two balances of a record; null for an account without credits. */
export function balancesOf(record: CustomerRecord | null): CreditParts | null {
  if (record?.creditsAllowance === undefined && record?.packCreditsRemaining === undefined) return null;
  return { allowance: record.creditsAllowance ?? 0, packs: record.packCreditsRemaining ?? 0 };
}
