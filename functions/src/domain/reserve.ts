import type { Millis } from '@extension-billing/contract/customer';
import { type Credits, covers } from './credits.ts';
import type { ReserveEntry } from './ledger.ts';
import { movementOf } from './movement-of.ts';

/** Reservations that a user can have open: they live in the record, which everybody who listens to it receives. */
export const MOST_HOLDS = 50;

export interface ReserveCommand {
  /** Idempotency key, `[A-Za-z0-9_-]{1,128}`; the name of the reservation from then on. */
  readonly key: string;
  readonly feature: string;
  /** Credits, a positive whole number from the pricing file. */
  readonly cost: number;
  /** How long the credits are held. */
  readonly lifetime: Millis;
  /** The name of the request, for the entry. */
  readonly correlationId?: string;
}

/**
 * As for a consume. `granted` holds the credits; `key_reused`: the recorded one is for another feature or lifetime;
 * `too_many`: so many are open already, nothing is recorded, and the same key may be tried again; `too_many_refusals`:
 * as for a consume.
 */
export type ReserveDecision =
  | { readonly kind: 'granted'; readonly entry: ReserveEntry; readonly credits: Credits }
  | { readonly kind: 'exhausted'; readonly entry: ReserveEntry; readonly credits: Credits }
  | { readonly kind: 'replayed'; readonly entry: ReserveEntry }
  | { readonly kind: 'key_reused' }
  | { readonly kind: 'too_many' }
  | { readonly kind: 'too_many_refusals' }
  | { readonly kind: 'free' };

export function reserveEntryId(key: string): string {
  return `reserve_${key}`;
}

/**
 * The outcome of one reserve request: what a consume of the same cost would be, but nothing is spent. What is held
 * cannot be spent by another request until the reservation ends.
 *
 * @param credits with none but unexpired holds; null for an account without credits
 * @param recorded the ledger entry under this key, if there is one
 */
export function decideReserve(
  { key, feature, cost, lifetime, correlationId }: ReserveCommand,
  credits: Credits | null,
  recorded: ReserveEntry | null,
  now: Millis,
): ReserveDecision {
  if (recorded !== null) {
    const isSame = recorded.feature === feature && recorded.expiresAt - recorded.createdAt === lifetime;
    return isSame ? { kind: 'replayed', entry: recorded } : { kind: 'key_reused' };
  }
  if (credits === null) return { kind: 'free' };
  const isCovered = covers(credits, cost, now);
  if (isCovered && credits.holds.length >= MOST_HOLDS) return { kind: 'too_many' };
  const expiresAt = now + lifetime;
  const hold = { reservation: key, feature, credits: cost, expiresAt };
  const after = isCovered ? { ...credits, holds: [...credits.holds, hold] } : credits;
  const outcome = isCovered ? 'granted' : 'exhausted';
  const entry = {
    id: reserveEntryId(key),
    kind: 'reserve' as const,
    feature,
    cost,
    outcome,
    expiresAt,
    ...movementOf(credits, after, now),
    ...(correlationId !== undefined && { correlationId }),
  } as const;
  return { kind: outcome, entry, credits: after };
}
