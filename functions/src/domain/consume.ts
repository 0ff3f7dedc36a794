import type { Millis } from '@extension-billing/contract/customer';
import { spend } from './balance.ts';
import { type Credits, covers } from './credits.ts';
import type { ConsumeEntry } from './ledger.ts';
import { movementOf } from './movement-of.ts';

export interface ConsumeCommand {
  /** Idempotency key, `[A-Za-z0-9_-]{1,128}`. */
  readonly key: string;
  readonly feature: string;
  /** Credits, a positive whole number from the pricing file. */
  readonly cost: number;
  /** The name of the request, for the entry. */
  readonly correlationId?: string;
}

/**
 * - `granted` and `exhausted` carry the ledger entry to record, and the credits after it;
 * - `replayed` carries the entry that an earlier request with the same key recorded;
 * - `key_reused`: that entry is for another feature;
 * - `too_many_refusals`: as many were recorded lately as may be; nothing is recorded, and the same key may be tried again;
 * - `free`: an account without credits, nothing to record (specification, "Credit balance moves", rule 3).
 */
export type ConsumeDecision =
  | { readonly kind: 'granted'; readonly entry: ConsumeEntry; readonly credits: Credits }
  | { readonly kind: 'exhausted'; readonly entry: ConsumeEntry; readonly credits: Credits }
  | { readonly kind: 'replayed'; readonly entry: ConsumeEntry }
  | { readonly kind: 'key_reused'; readonly feature: string }
  | { readonly kind: 'too_many_refusals' }
  | { readonly kind: 'free' };

export function consumeEntryId(key: string): string {
  return `consume_${key}`;
}

/**
 * The outcome of one consume request. A recorded outcome comes before everything else, so a retry never
 * spends again and a recorded refusal stays one. What is held by reservations is not there to be spent.
 *
 * @param credits null for an account without credits
 * @param recorded the ledger entry under this key, if there is one
 */
export function decideConsume(
  { key, feature, cost, correlationId }: ConsumeCommand,
  credits: Credits | null,
  recorded: ConsumeEntry | null,
  now: Millis,
): ConsumeDecision {
  if (recorded !== null) {
    return recorded.feature === feature
      ? { kind: 'replayed', entry: recorded }
      : { kind: 'key_reused', feature: recorded.feature };
  }
  if (credits === null) return { kind: 'free' };
  const balances = covers(credits, cost, now) ? spend(credits.balances, cost) : null;
  const outcome = balances === null ? 'exhausted' : 'granted';
  const after = balances === null ? credits : { ...credits, balances };
  const entry = {
    id: consumeEntryId(key),
    kind: 'consume' as const,
    feature,
    cost,
    outcome,
    ...movementOf(credits, after, now),
    ...(correlationId !== undefined && { correlationId }),
  } as const;
  return { kind: outcome, entry, credits: after };
}
