import { availableCredits, balancesOf } from '@extension-billing/contract/available-credits';
import type { CreditHold, CustomerRecord, Millis } from '@extension-billing/contract/customer';
import { type Balances, totalOf } from './balance.ts';

/** What an account owns, and what of it is held by reservations. */
export interface Credits {
  readonly balances: Balances;
  readonly holds: readonly CreditHold[];
}

/** The credits of a record; null for an account without credits. */
export function creditsOf(record: CustomerRecord | null): Credits | null {
  const balances = balancesOf(record);
  return balances === null ? null : { balances, holds: record?.creditHolds ?? [] };
}

/** Whether `cost` can be spent or held at `now`, with what is held left alone. */
export function covers({ balances, holds }: Credits, cost: number, now: Millis): boolean {
  return totalOf(availableCredits(balances, holds, now)) >= cost;
}
