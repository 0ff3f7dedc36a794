import type { Millis } from '../contract/customer.ts';
import { type Balances, spend } from './balance.ts';
import type { ConsumeEntry } from './ledger.ts';

export interface ConsumeCommand {
  /** Idempotency key, `[A-Za-z0-9_-]{1,128}`. */
  readonly key: string;
  readonly feature: string;
  /** Credits, a positive whole number from the pricing file. */
  readonly cost: number;
}

/**
 * - `granted` and `exhausted` carry the ledger entry to record, and the balances after it;
 * - `replayed` carries the entry that an earlier request with the same key recorded;
 * - `key_reused`: that entry is for another feature;
 * - `free`: an account without credits, nothing to record (specification, "Credit balance moves", rule 3).
 */
export type ConsumeDecision =
  | { readonly kind: 'granted'; readonly entry: ConsumeEntry; readonly balances: Balances }
  | { readonly kind: 'exhausted'; readonly entry: ConsumeEntry }
  | { readonly kind: 'replayed'; readonly entry: ConsumeEntry }
  | { readonly kind: 'key_reused'; readonly feature: string }
  | { readonly kind: 'free' };

export function consumeEntryId(key: string): string {
  return `consume_${key}`;
}

/**
 * The outcome of one consume request. A recorded outcome comes before everything else, so a retry never
 * spends again and a recorded refusal stays one.
 *
 * @param balances null for an account without credits
 * @param recorded the ledger entry under this key, if there is one
 */
export function decideConsume(
  command: ConsumeCommand,
  balances: Balances | null,
  recorded: ConsumeEntry | null,
  now: Millis,
): ConsumeDecision {
  if (recorded !== null) {
    return recorded.feature === command.feature
      ? { kind: 'replayed', entry: recorded }
      : { kind: 'key_reused', feature: recorded.feature };
  }
  if (balances === null) return { kind: 'free' };
  const after = spend(balances, command.cost);
  const entry = {
    id: consumeEntryId(command.key),
    kind: 'consume' as const,
    feature: command.feature,
    createdAt: now,
  };
  if (after === null) {
    return {
      kind: 'exhausted',
      entry: {
        ...entry,
        cost: command.cost,
        outcome: 'exhausted',
        deltaAllowance: 0,
        deltaPack: 0,
        allowance: balances.allowance,
        packCredits: balances.packs,
      },
    };
  }
  return {
    kind: 'granted',
    balances: after,
    entry: {
      ...entry,
      cost: command.cost,
      outcome: 'granted',
      deltaAllowance: after.allowance - balances.allowance,
      deltaPack: after.packs - balances.packs,
      allowance: after.allowance,
      packCredits: after.packs,
    },
  };
}
