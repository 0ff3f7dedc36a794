import { drawn } from '@extension-billing/contract/available-credits';
import type { CreditHold, Millis } from '@extension-billing/contract/customer';
import { totalOf } from './balance.ts';
import type { Credits } from './credits.ts';
import type { ReserveEntry, SettleEntry } from './ledger.ts';
import { movementOf } from './movement-of.ts';

export interface SettleCommand {
  /** The idempotency key of the reserve. */
  readonly reservation: string;
  readonly as: 'confirm' | 'release';
  /** The name of the request, for the entry. */
  readonly correlationId?: string;
}

/**
 * - `settled`: the entry to record, and the credits after it;
 * - `replayed`: how the reservation had ended before, whether or not that is what is asked for now;
 * - `unknown`: nothing was ever held under this name;
 * - `free`: an account without credits, nothing to record.
 */
export type SettleDecision =
  | { readonly kind: 'settled'; readonly entry: SettleEntry; readonly credits: Credits }
  | { readonly kind: 'replayed'; readonly entry: SettleEntry }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'free' };

export function settleEntryId(reservation: string): string {
  return `settle_${reservation}`;
}

/** Whether a reservation's end is the one that was asked for: it is released also where it freed itself. */
export function isEndAskedFor(as: SettleCommand['as'], end: SettleEntry['kind']): boolean {
  return as === 'confirm' ? end === 'confirm' : end !== 'confirm';
}

/**
 * The one end of a reservation. Held credits are taken by a confirm, from the allowance first, as far as they are
 * still owned: what a reset or a refund took away meanwhile is the entry's `shortfall`. A confirm that comes after the
 * expiry takes nothing, even where the credits are there: they had been free for others to spend.
 *
 * @param credits with none but unexpired holds; null for an account without credits
 * @param recorded the entries of the reservation, as far as there are any
 */
export function decideSettle(
  { reservation, as, correlationId }: SettleCommand,
  credits: Credits | null,
  recorded: { readonly reserve: ReserveEntry | null; readonly settle: SettleEntry | null },
  now: Millis,
): SettleDecision {
  if (recorded.settle !== null) return { kind: 'replayed', entry: recorded.settle };
  if (credits === null) return { kind: 'free' };
  const hold = credits.holds.find((open) => open.reservation === reservation);
  if (hold !== undefined) return settled(as, hold, credits, { now, correlationId });
  const { reserve } = recorded;
  if (reserve === null || reserve.outcome === 'exhausted') return { kind: 'unknown' };
  // It was held and is not any more, so it has expired, whatever this instance's clock says.
  const { feature, cost, expiresAt } = reserve;
  const expired = { reservation, feature, credits: cost, expiresAt };
  return settled('expiry', expired, credits, { now, correlationId });
}

function settled(
  kind: SettleEntry['kind'],
  hold: CreditHold,
  credits: Credits,
  { now, correlationId }: { readonly now: Millis; readonly correlationId: string | undefined },
): SettleDecision {
  const { reservation, feature, credits: cost } = hold;
  const balances = kind === 'confirm' ? drawn(credits.balances, cost) : credits.balances;
  const after = { balances, holds: credits.holds.filter((open) => open !== hold) };
  const shortfall = kind === 'confirm' ? Math.max(0, cost - totalOf(credits.balances)) : 0;
  const entry: SettleEntry = {
    id: settleEntryId(reservation),
    kind,
    feature,
    cost,
    ...(shortfall > 0 && { shortfall }),
    ...movementOf(credits, after, now),
    ...(correlationId !== undefined && { correlationId }),
  };
  return { kind: 'settled', entry, credits: after };
}
