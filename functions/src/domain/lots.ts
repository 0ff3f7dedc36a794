import type { Millis } from '@extension-billing/contract/customer';
import type { Facts } from './facts.ts';
import type { Purchase } from './purchase.ts';
import { clawedOf } from './purchase.ts';

/**
 * Pack credits by the purchase that they came with. What is left of a lot is what was bought, less what was spent
 * of it, less what refunds take: a refund takes from its own lot first and then, where that was spent, from the
 * lots that were bought before the money went back. It takes no more than there is, and nothing from a pack that
 * is bought later: a debt is not carried (docs/decisions/0001-pack-lots.md).
 */
export interface Lot {
  readonly purchase: string;
  readonly paid: Moment;
  /** Credits bought. */
  readonly credits: number;
  readonly clawback: { readonly credits: number; readonly since: Moment } | null;
}

/** The provider's time, and the order of arrival for what shares a second. */
interface Moment {
  readonly at: Millis;
  readonly arrival: number;
}

/** Credits spent of each lot, by purchase. */
export type SpentOfLots = Readonly<Record<string, number>>;

/** The lots that are paid for, first bought first. */
export function lotsOf(facts: Facts): readonly Lot[] {
  return Object.entries(facts.purchases)
    .flatMap(([purchase, known]): Lot[] => {
      if (known.product !== 'pack' || known.paidAt === null) return [];
      const paid = { at: known.paidAt, arrival: known.paidArrival ?? 0 };
      return [{ purchase, paid, credits: known.credits, clawback: clawbackOf(known) }];
    })
    .sort((a, b) => a.paid.at - b.paid.at || (a.purchase < b.purchase ? -1 : 1));
}

/** Pack credits that can be spent. */
export function totalOfLots(lots: readonly Lot[], spent: SpentOfLots): number {
  return [...leftOfLots(lots, spent).values()].reduce((total, left) => total + left, 0);
}

/** Takes `credits` from the lots, first bought first. What no lot holds is not charged to any. */
export function drawFromLots(lots: readonly Lot[], spent: SpentOfLots, credits: number): SpentOfLots {
  const after: Record<string, number> = { ...spent };
  const left = leftOfLots(lots, spent);
  let due = credits;
  for (const { purchase } of lots) {
    const taken = Math.min(due, left.get(purchase) ?? 0);
    if (taken > 0) after[purchase] = (spent[purchase] ?? 0) + taken;
    due -= taken;
  }
  return after;
}

/** What is left of each lot once all clawbacks have taken their part, the earliest first. */
function leftOfLots(lots: readonly Lot[], spent: SpentOfLots): ReadonlyMap<string, number> {
  const left = new Map(
    lots.map((lot) => [lot.purchase, Math.max(0, lot.credits - (spent[lot.purchase] ?? 0))]),
  );
  const clawbacks = lots
    .flatMap(({ purchase, clawback }) => (clawback === null ? [] : [{ purchase, ...clawback }]))
    .sort((a, b) => compareMoments(a.since, b.since));
  for (const { purchase, credits, since } of clawbacks) {
    const earlier = lots.filter((lot) => lot.purchase !== purchase && compareMoments(lot.paid, since) < 0);
    let due = credits;
    for (const id of [purchase, ...earlier.map((lot) => lot.purchase)]) {
      const has = left.get(id) ?? 0;
      const taken = Math.min(due, has);
      left.set(id, has - taken);
      due -= taken;
    }
  }
  return left;
}

function clawbackOf(purchase: Purchase): Lot['clawback'] {
  const credits = clawedOf(purchase);
  if (credits === 0) return null;
  const times = [
    ...Object.values(purchase.refunds).map(({ at }) => at),
    ...Object.values(purchase.disputes).map(({ openedAt }) => openedAt),
  ];
  return { credits, since: { at: Math.min(...times), arrival: purchase.backArrival ?? 0 } };
}

function compareMoments(a: Moment, b: Moment): number {
  return a.at - b.at || a.arrival - b.arrival;
}
