import type { Millis } from '@extension-billing/contract/customer';
import { type Disputes, takenWith, withDispute, withheldBy } from './dispute.ts';
import { type Fact, type Product, UNORDERED_WITHIN } from './events.ts';

/** All that is known of a one-time purchase, in whichever order it became known. */
export interface Purchase {
  readonly product: Product | null;
  readonly credits: number;
  readonly lookupKey: string | null;
  /** When the provider said that it is paid; null while only its refund or dispute is known. */
  readonly paidAt: Millis | null;
  readonly charge: string | null;
  /** Minor currency units; null until a refund or a dispute tells. */
  readonly amount: number | null;
  /** Refund levels seen: cumulative amount at a time. The key is made of both, so a twin event adds nothing. */
  readonly refunds: Readonly<Record<string, { readonly at: Millis; readonly refunded: number }>>;
  /** By refund id. */
  readonly failures: Readonly<Record<string, { readonly at: Millis; readonly amount: number }>>;
  /** By dispute id. */
  readonly disputes: Disputes;
  /** Which arrival first told that it is paid, and that money went back: only to tell apart what shares a second. */
  readonly paidArrival: number | null;
  readonly backArrival: number | null;
}

export const UNKNOWN_PURCHASE: Purchase = {
  product: null,
  credits: 0,
  lookupKey: null,
  paidAt: null,
  charge: null,
  amount: null,
  refunds: {},
  failures: {},
  disputes: {},
  paidArrival: null,
  backArrival: null,
};

type PurchaseFact = Extract<
  Fact,
  { kind: 'purchase_paid' | 'charge_refunded' | 'refund_failed' | 'dispute_seen' }
>;

/**
 * Adds one fact to what is known of its purchase.
 *
 * @param arrival which of the tellings about this user's purchases it is
 */
export function mergePurchase(before: Purchase | undefined, fact: PurchaseFact, arrival: number): Purchase {
  return withArrival(withFact(before ?? UNKNOWN_PURCHASE, fact), fact, arrival);
}

function withFact(before: Purchase, fact: PurchaseFact): Purchase {
  switch (fact.kind) {
    case 'purchase_paid':
      return {
        ...before,
        product: fact.product,
        credits: fact.credits,
        lookupKey: fact.lookupKey,
        paidAt: before.paidAt === null ? fact.at : Math.min(before.paidAt, fact.at),
      };
    case 'charge_refunded':
      return {
        ...before,
        product: before.product ?? fact.product,
        charge: fact.charge,
        amount: fact.amount,
        refunds: {
          ...before.refunds,
          [`${fact.at}_${fact.refunded}`]: { at: fact.at, refunded: fact.refunded },
        },
      };
    case 'refund_failed': {
      const at = Math.min(before.failures[fact.refund]?.at ?? fact.at, fact.at);
      return { ...before, failures: { ...before.failures, [fact.refund]: { at, amount: fact.amount } } };
    }
    case 'dispute_seen':
      return {
        ...before,
        amount: before.amount ?? fact.amount,
        disputes: withDispute(before.disputes, fact),
      };
    default:
      return fact satisfies never;
  }
}

function withArrival(purchase: Purchase, { kind }: PurchaseFact, arrival: number): Purchase {
  if (kind === 'purchase_paid') return { ...purchase, paidArrival: purchase.paidArrival ?? arrival };
  return { ...purchase, backArrival: purchase.backArrival ?? arrival };
}

/** Credits of a purchase that went back with its money: in proportion to what was refunded and what is disputed. */
export function clawedOf(purchase: Purchase): number {
  return takenWith(purchase.credits, backOf(purchase), purchase.amount);
}

/** Whether all the money went back to the buyer, or is held by a dispute. */
export function isFullyRefunded(purchase: Purchase): boolean {
  const back = backOf(purchase);
  if (purchase.amount === null) return back > 0;
  return purchase.amount > 0 ? back >= purchase.amount : back === Number.POSITIVE_INFINITY;
}

/** Minor currency units that the seller does not have any more. */
function backOf(purchase: Purchase): number {
  return refundedOf(purchase) + withheldBy(purchase.disputes);
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
