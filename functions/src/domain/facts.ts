import type { CustomerRecord, Millis } from '@extension-billing/contract/customer';
import { type DisputedInvoice, withDispute } from './dispute.ts';
import type { Fact } from './events.ts';
import { type AllowanceGrant, mergeGrant } from './grant.ts';
import { mergePurchase, type Purchase } from './purchase.ts';
import { applyAsked, mergeSubscription } from './subscription.ts';
import type { SubscriptionFact } from './subscription-fact.ts';

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
  /** Invoices of subscriptions whose payment was disputed, by invoice id. */
  readonly disputedInvoices: Readonly<Record<string, DisputedInvoice>>;
  readonly imported: ImportedRecord | null;
  /** How many tellings about purchases have arrived. */
  readonly arrivals: number;
}

export const NO_FACTS: Facts = {
  customers: {},
  subscriptions: {},
  purchases: {},
  grants: {},
  disputedInvoices: {},
  imported: null,
  arrivals: 0,
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
    case 'allowance_paid': {
      const grant = mergeGrant(known.grants[fact.subscription], fact);
      const grants = { ...known.grants, [fact.subscription]: grant };
      return { kind: 'reduced', facts: { ...known, grants } };
    }
    case 'invoice_disputed': {
      const { invoice, subscription, amount } = fact;
      const disputes = withDispute(known.disputedInvoices[invoice]?.disputes ?? {}, fact);
      const disputedInvoices = { ...known.disputedInvoices, [invoice]: { subscription, amount, disputes } };
      return { kind: 'reduced', facts: { ...known, disputedInvoices } };
    }
    case 'purchase_paid':
    case 'charge_refunded':
    case 'refund_failed':
    case 'dispute_seen': {
      const arrivals = known.arrivals + 1;
      const purchase = mergePurchase(known.purchases[fact.purchase], fact, arrivals);
      const purchases = { ...known.purchases, [fact.purchase]: purchase };
      return { kind: 'reduced', facts: { ...known, arrivals, purchases } };
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
