import type { Millis } from '@extension-billing/contract/customer';
import type { Pool } from '@extension-billing/contract/schedule';
import { DAY } from '@extension-billing/contract/time';
import { clawedOf, type Facts, type Purchase } from './facts.ts';

/**
 * Pack credits by the purchase, or the grant by hand, that they came with. What is left of a lot is what was bought, less what was spent
 * of it, less what refunds take: a refund takes from its own lot first and then, where that was spent, from the
 * lots that were bought before the money went back. It takes no more than there is, and nothing from a pack that
 * is bought later: a debt is not carried (docs/decisions/refunds-and-disputes.md). What is revoked takes from
 * its own lot alone: nobody pays for a gift with what they bought.
 */
export interface Lot {
  readonly purchase: string;
  readonly paid: Moment;
  /** Credits bought, or given. */
  readonly credits: number;
  readonly clawback: {
    readonly credits: number;
    readonly since: Moment;
    readonly ofItsOwn?: true;
  } | null;
  /** From then on nothing of it is left; null where it is kept for good. Those that end are pools in the record. */
  readonly expires: Millis | null;
}

function isExpiring({ expires }: Lot): boolean {
  return expires !== null;
}

/** The provider's time, and the order of arrival for what shares a second. */
interface Moment {
  readonly at: Millis;
  readonly arrival: number;
}

/** Credits spent of each lot, by purchase. */
export type SpentOfLots = Readonly<Record<string, number>>;

/** The lots that are paid for or given, first come first. */
export function lotsOf(facts: Facts): readonly Lot[] {
  return [...boughtLots(facts), ...givenLots(facts)].sort(
    (a, b) => a.paid.at - b.paid.at || (a.purchase < b.purchase ? -1 : 1),
  );
}

function boughtLots({ purchases }: Facts): readonly Lot[] {
  return Object.entries(purchases).flatMap(([purchase, known]): Lot[] => {
    if (known.product !== 'pack' || known.paidAt === null) return [];
    const paid = { at: known.paidAt, arrival: known.paidArrival ?? 0 };
    const { credits, expiresAfterDays } = known;
    const expires = expiresAfterDays === undefined ? null : paid.at + expiresAfterDays * DAY;
    return [{ purchase, paid, credits, clawback: clawbackOf(known), expires }];
  });
}

function givenLots({ handGrants }: Facts): readonly Lot[] {
  return Object.entries(handGrants).flatMap(([purchase, { at, credits, expires, revokedAt }]): Lot[] => {
    if (at === null || credits === 0) return [];
    const since = revokedAt === null ? null : { at: revokedAt, arrival: 0 };
    const clawback = since === null ? null : { credits, since, ofItsOwn: true as const };
    return [{ purchase, paid: { at, arrival: 0 }, credits, clawback, expires }];
  });
}

/** Pack credits that are kept for good and can be spent. */
export function totalOfLots(lots: readonly Lot[], spent: SpentOfLots): number {
  const left = leftOfLots(lots, spent);
  return lots.reduce((total, lot) => total + (isExpiring(lot) ? 0 : (left.get(lot.purchase) ?? 0)), 0);
}

/** The packs that end, each as a pool of one period. */
export function packPools(lots: readonly Lot[], spent: SpentOfLots, now: Millis): readonly Pool[] {
  const left = leftOfLots(lots, spent);
  return lots.flatMap(({ purchase: source, paid: { at }, credits, expires }): Pool[] => {
    if (expires === null || now >= expires) return [];
    const one = { source, kind: 'pack', amount: credits, every: 'once', anchor: at, from: at } as const;
    return [{ ...one, until: expires, left: left.get(source) ?? 0, period: at }];
  });
}

/** Allocates what is missing of packs that end; of one that has ended nobody can tell what was spent. */
export function drawFromPools(
  lots: readonly Lot[],
  spent: SpentOfLots,
  pools: readonly Pool[],
  now: Millis,
): SpentOfLots {
  if (!lots.some(isExpiring)) return spent;
  const left = leftOfLots(lots, spent);
  const missing = lots.flatMap(({ purchase, expires }): [string, number][] => {
    const pool = pools.find(({ source }) => source === purchase);
    if (expires === null || now >= expires || pool === undefined) return [];
    return [[purchase, (spent[purchase] ?? 0) + Math.max(0, (left.get(purchase) ?? 0) - pool.left)]];
  });
  return { ...spent, ...Object.fromEntries(missing) };
}

/** Takes `credits` from the lots that are kept for good, first bought first. What none holds is not charged to any. */
export function drawFromLots(lots: readonly Lot[], spent: SpentOfLots, credits: number): SpentOfLots {
  const after: Record<string, number> = { ...spent };
  const left = leftOfLots(lots, spent);
  let due = credits;
  for (const { purchase, expires } of lots) {
    const taken = expires === null ? Math.min(due, left.get(purchase) ?? 0) : 0;
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
  // What had ended when the money went back is gone: its refund takes nothing, and no refund takes from it.
  const isThere = ({ expires }: Lot, { at }: Moment) => expires === null || at < expires;
  const clawbacks = lots
    .flatMap((lot) =>
      lot.clawback !== null && isThere(lot, lot.clawback.since)
        ? [{ purchase: lot.purchase, ...lot.clawback }]
        : [],
    )
    .sort((a, b) => compareMoments(a.since, b.since));
  for (const { purchase, credits, since, ofItsOwn = false } of clawbacks) {
    const earlier = lots.filter(
      (lot) =>
        !ofItsOwn && lot.purchase !== purchase && compareMoments(lot.paid, since) < 0 && isThere(lot, since),
    );
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
