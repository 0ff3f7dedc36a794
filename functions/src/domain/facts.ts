import type { CustomerRecord, Millis } from '../contract/customer.ts';
import type { Fact, Product } from './events.ts';
import { applyAsked, mergeSubscription } from './subscription.ts';
import type { SubscriptionFact } from './subscription-fact.ts';

/** All that is known of a one-time purchase, in whichever order it became known. */
export interface Purchase {
  readonly product: Product | null;
  readonly credits: number;
  readonly lookupKey: string | null;
  /** When the provider said that it is paid; null while only its refund or dispute is known. */
  readonly paidAt: Millis | null;
  readonly charge: string | null;
  /** Minor currency units; null until a refund tells. */
  readonly amount: number | null;
  /** Refund levels seen: cumulative amount at a time. The key is made of both, so a twin event adds nothing. */
  readonly refunds: Readonly<Record<string, { readonly at: Millis; readonly refunded: number }>>;
  /** By refund id. */
  readonly failures: Readonly<Record<string, { readonly at: Millis; readonly amount: number }>>;
  /** By dispute id. */
  readonly disputes: Readonly<Record<string, Dispute>>;
  /** Which arrival first told that it is paid, and that money went back: only to tell apart what shares a second. */
  readonly paidArrival: number | null;
  readonly backArrival: number | null;
}

export interface Dispute {
  readonly openedAt: Millis;
  readonly closedAt: Millis | null;
  readonly won: boolean;
}

/** The newest allowance that an invoice paid for, per subscription. */
export interface AllowanceGrant {
  readonly invoice: string;
  readonly periodStart: Millis;
  readonly invoiceCreated: Millis;
  /** Not the subscription's first invoice. */
  readonly renews?: boolean;
  readonly credits: number;
  /** This or another invoice of the subscription granted credits, whichever became known first. */
  readonly metered: boolean;
}

/** What the record said before there were facts: an account that came from elsewhere. */
export type ImportedRecord = Pick<
  CustomerRecord,
  'paid' | 'plan' | 'status' | 'cancelAtPeriodEnd' | 'currentPeriodEnd' | 'customerId' | 'trialUsed'
>;

/**
 * Everything the provider has told about one user, keyed by the provider's object ids.
 * Merging is commutative and idempotent, so any order and any number of deliveries end in the same facts.
 */
export interface Facts {
  readonly customers: Readonly<Record<string, { readonly at: Millis; readonly deleted: boolean }>>;
  readonly subscriptions: Readonly<Record<string, SubscriptionFact>>;
  readonly purchases: Readonly<Record<string, Purchase>>;
  /** By subscription id. */
  readonly grants: Readonly<Record<string, AllowanceGrant>>;
  readonly imported: ImportedRecord | null;
  /** How many tellings about purchases have arrived. */
  readonly arrivals: number;
}

export const NO_FACTS: Facts = {
  customers: {},
  subscriptions: {},
  purchases: {},
  grants: {},
  imported: null,
  arrivals: 0,
};

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

/** `undecidable`: two snapshots of this subscription cannot be ordered, the provider must be asked. */
export type Reduced =
  | { readonly kind: 'reduced'; readonly facts: Facts }
  | { readonly kind: 'undecidable'; readonly subscription: string };

/** Adds one fact to what is known (design, section 5). */
export function reduce(facts: Facts, fact: Fact, customer: string | null): Reduced {
  const known = customer === null ? facts : withCustomer(facts, customer, fact);
  switch (fact.kind) {
    case 'customer_seen':
    case 'customer_deleted':
      return { kind: 'reduced', facts: known };
    case 'subscription_seen': {
      const merged = mergeSubscription(known.subscriptions[fact.subscription], fact);
      if (merged === 'undecidable') return { kind: 'undecidable', subscription: fact.subscription };
      return { kind: 'reduced', facts: withSubscription(known, fact.subscription, merged) };
    }
    case 'subscription_asked': {
      const asked = applyAsked(known.subscriptions[fact.subscription], fact);
      if (asked === 'undecidable') return { kind: 'undecidable', subscription: fact.subscription };
      return { kind: 'reduced', facts: withSubscription(known, fact.subscription, asked) };
    }
    case 'allowance_paid':
      return { kind: 'reduced', facts: withGrant(known, fact) };
    case 'purchase_paid':
    case 'charge_refunded':
    case 'refund_failed':
    case 'dispute_seen': {
      const arrivals = known.arrivals + 1;
      const merged = mergePurchase(known.purchases[fact.purchase] ?? UNKNOWN_PURCHASE, fact);
      const purchase = withArrival(merged, fact, arrivals);
      return {
        kind: 'reduced',
        facts: { ...known, arrivals, purchases: { ...known.purchases, [fact.purchase]: purchase } },
      };
    }
    default:
      return fact satisfies never;
  }
}

export function withSubscription(facts: Facts, id: string, subscription: SubscriptionFact): Facts {
  return { ...facts, subscriptions: { ...facts.subscriptions, [id]: subscription } };
}

function withCustomer(facts: Facts, customer: string, fact: Fact): Facts {
  const before = facts.customers[customer];
  const at = Math.max(before?.at ?? 0, fact.at);
  const deleted = fact.kind === 'customer_deleted' || before?.deleted === true;
  return { ...facts, customers: { ...facts.customers, [customer]: { at, deleted } } };
}

function withGrant(facts: Facts, fact: Extract<Fact, { kind: 'allowance_paid' }>): Facts {
  const before = facts.grants[fact.subscription];
  const { invoice, periodStart, invoiceCreated, renews, credits } = fact;
  const metered = credits > 0 || before?.metered === true;
  const seen: AllowanceGrant = { invoice, periodStart, invoiceCreated, renews, credits, metered };
  const newest = before !== undefined && compareInvoices(before, seen) >= 0 ? before : seen;
  return { ...facts, grants: { ...facts.grants, [fact.subscription]: { ...newest, metered } } };
}

/** Newest last: by the period paid for, then the invoice's creation, then its id. */
export function compareGrants(a: AllowanceGrant, b: AllowanceGrant): number {
  return compareTimes(a, b) || (a.invoice === b.invoice ? 0 : a.invoice < b.invoice ? -1 : 1);
}

/** The same for the invoices of one subscription: its first is older than one that renews it, at the same time too. */
export function compareInvoices(a: AllowanceGrant, b: AllowanceGrant): number {
  const renews = Number(a.renews === true) - Number(b.renews === true);
  return compareTimes(a, b) || renews || compareGrants(a, b);
}

function compareTimes(a: AllowanceGrant, b: AllowanceGrant): number {
  return a.periodStart - b.periodStart || a.invoiceCreated - b.invoiceCreated;
}

type PurchaseFact = Extract<
  Fact,
  { kind: 'purchase_paid' | 'charge_refunded' | 'refund_failed' | 'dispute_seen' }
>;

function mergePurchase(before: Purchase, fact: PurchaseFact): Purchase {
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
        disputes: { ...before.disputes, [fact.dispute]: mergeDispute(before.disputes[fact.dispute], fact) },
      };
    default:
      return fact satisfies never;
  }
}

function withArrival(purchase: Purchase, { kind }: PurchaseFact, arrival: number): Purchase {
  if (kind === 'purchase_paid') return { ...purchase, paidArrival: purchase.paidArrival ?? arrival };
  return { ...purchase, backArrival: purchase.backArrival ?? arrival };
}

/** A dispute closes once: the closing beats the opening, whichever comes first. */
function mergeDispute(before: Dispute | undefined, fact: Extract<Fact, { kind: 'dispute_seen' }>): Dispute {
  const openedAt = Math.min(before?.openedAt ?? fact.at, fact.at);
  if (fact.outcome === 'open') return { closedAt: null, won: false, ...before, openedAt };
  const closedAt = Math.min(before?.closedAt ?? fact.at, fact.at);
  return { openedAt, closedAt, won: fact.outcome === 'won' || before?.won === true };
}
