import type { Millis } from '../contract/customer.ts';
import type { Dispute, Facts, Purchase } from './facts.ts';
import { UNORDERED_WITHIN } from './subscription.ts';

/**
 * Pack credits by the purchase that they came with. A lot holds what was bought, less what was clawed back,
 * less what was spent of it, and never less than nothing. So the debt of a pack that was spent and then
 * refunded stays its own: no other pack pays for it, whichever of them became known first
 * (docs/decisions/0001-pack-lots.md).
 */
export interface Lot {
  readonly purchase: string;
  readonly paidAt: Millis;
  /** Credits that are left once refunds and disputes are taken off, before anything was spent. */
  readonly credits: number;
}

/** Credits spent of each lot, by purchase. */
export type SpentOfLots = Readonly<Record<string, number>>;

/** The lots that are paid for, first bought first. */
export function lotsOf(facts: Facts): readonly Lot[] {
  return Object.entries(facts.purchases)
    .flatMap(([purchase, known]) =>
      known.product === 'pack' && known.paidAt !== null
        ? [{ purchase, paidAt: known.paidAt, credits: known.credits - clawedOf(known) }]
        : [],
    )
    .sort((a, b) => a.paidAt - b.paidAt || (a.purchase < b.purchase ? -1 : 1));
}

/** Pack credits that can be spent. */
export function totalOfLots(lots: readonly Lot[], spent: SpentOfLots): number {
  return lots.reduce((total, lot) => total + leftOf(lot, spent), 0);
}

/** Takes `credits` from the lots, first bought first. What no lot holds is not charged to any. */
export function drawFromLots(lots: readonly Lot[], spent: SpentOfLots, credits: number): SpentOfLots {
  const after: Record<string, number> = { ...spent };
  let due = credits;
  for (const lot of lots) {
    const taken = Math.min(due, leftOf(lot, spent));
    if (taken > 0) after[lot.purchase] = (spent[lot.purchase] ?? 0) + taken;
    due -= taken;
  }
  return after;
}

/** Credits of a purchase that went back with its money: in proportion to a refund, all of it under a dispute. */
export function clawedOf(purchase: Purchase): number {
  if (isDisputed(purchase)) return purchase.credits;
  if (purchase.amount === null || purchase.amount <= 0) return 0;
  const refunded = Math.min(refundedOf(purchase), purchase.amount);
  return Math.floor((purchase.credits * refunded) / purchase.amount);
}

/** Whether all the money went back to the buyer, or is held by a dispute. */
export function isFullyRefunded(purchase: Purchase): boolean {
  if (isDisputed(purchase)) return true;
  return purchase.amount !== null && purchase.amount > 0 && refundedOf(purchase) >= purchase.amount;
}

/**
 * Minor currency units that are back with the buyer: the newest cumulative level (the highest of those that are
 * too close in time to be told apart), less the refunds that failed since.
 */
function refundedOf(purchase: Purchase): number {
  const levels = Object.values(purchase.refunds);
  if (levels.length === 0) return 0;
  const latest = Math.max(...levels.map(({ at }) => at));
  const newest = levels.filter(({ at }) => latest - at <= UNORDERED_WITHIN);
  const refunded = Math.max(...newest.map((level) => level.refunded));
  const failed = Object.values(purchase.failures).filter(({ at }) => at >= latest);
  return Math.max(
    0,
    failed.reduce((sum, { amount }) => sum - amount, refunded),
  );
}

/** An open or lost dispute acts as a full refund; a won one restores. */
function isDisputed(purchase: Purchase): boolean {
  return Object.values(purchase.disputes).some((dispute: Dispute) => !dispute.won);
}

function leftOf(lot: Lot, spent: SpentOfLots): number {
  return Math.max(0, lot.credits - (spent[lot.purchase] ?? 0));
}
