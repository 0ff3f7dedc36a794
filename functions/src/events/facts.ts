import type { Millis, PlannedChange } from '@extension-billing/contract/customer';
import type { CustomerRecord } from '@extension-billing/contract/record';
import { type AllowanceTerms, type ClockTerms, periodAt } from '@extension-billing/contract/schedule';
import { isEntitling, isOverdue } from '@extension-billing/contract/subscription-status';
import {
  type Billed,
  type Fact,
  type PlanCredits,
  type Product,
  type SubscriptionFact,
  type SubscriptionState,
  UNORDERED_WITHIN,
} from '../stripe/facts.ts';
import { type DisputedInvoice, type Disputes, takenWith, withDispute, withheldBy } from './disputes.ts';
import { type GivenUp, type HandGrant, isGivenUp, type KnownFact, mergeHandGrant } from './hand-grants.ts';
import { applyAsked, mergeSubscription } from './subscription.ts';

/** What the record said before there were facts: an account that came from elsewhere. */
export type ImportedRecord = Pick<
  CustomerRecord,
  | 'paid'
  | 'plan'
  | 'planKind'
  | 'status'
  | 'cancelAtPeriodEnd'
  | 'currentPeriodEnd'
  | 'customerId'
  | 'trialUsed'
  | 'entitlements'
>;

/**
 * Everything known about one user from the provider, keyed by the provider's object ids, and what was given by hand.
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
  /** What subscriptions' plans bring, by subscription id. */
  readonly planCredits: Readonly<Record<string, readonly PlanCredits[]>>;
  /** What subscriptions change to, by subscription id. */
  readonly planned: Readonly<Record<string, PlannedFact>>;
  readonly imported: ImportedRecord | null;
  /** What people and backends of the owner gave, by the grant's id. */
  readonly handGrants: Readonly<Record<string, HandGrant>>;
  /** Invoices that an import brought and its undo took back: what was spent of them stays known. */
  readonly undone?: readonly string[];
  /** What the account had when it was deleted; absent if it never was. */
  readonly givenUp?: GivenUp;
  /** How many facts about purchases have arrived. */
  readonly arrivals: number;
}

export const NO_FACTS: Facts = {
  customers: {},
  subscriptions: {},
  purchases: {},
  grants: {},
  disputedInvoices: {},
  planCredits: {},
  planned: {},
  imported: null,
  handGrants: {},
  arrivals: 0,
};

/** `undecidable`: two snapshots of this subscription cannot be ordered, the provider must be asked. */
type Reduced =
  | { readonly kind: 'reduced'; readonly facts: Facts }
  | { readonly kind: 'undecidable'; readonly subscription: string };

/** Adds one fact to what is known (design, section 5). */
export function reduce(facts: Facts, fact: KnownFact, customer: string | null): Reduced {
  const known = customer === null ? facts : withCustomer(facts, customer, fact);
  const { givenUp } = facts;
  if (givenUp !== undefined && isGivenUp(fact, givenUp)) return { kind: 'reduced', facts: known };
  switch (fact.kind) {
    case 'customer_seen':
    case 'customer_deleted':
      return { kind: 'reduced', facts: known };
    case 'subscription_seen': {
      const merged = mergeSubscription(known.subscriptions[fact.subscription], fact);
      if (merged === 'undecidable') return { kind: 'undecidable', subscription: fact.subscription };
      const seen = withPlanCredits(known, fact.subscription, fact.state);
      return { kind: 'reduced', facts: withSubscription(seen, fact.subscription, merged) };
    }
    case 'subscription_asked': {
      const asked = applyAsked(known.subscriptions[fact.subscription], fact);
      if (asked === 'undecidable') return { kind: 'undecidable', subscription: fact.subscription };
      return { kind: 'reduced', facts: withSubscription(known, fact.subscription, asked) };
    }
    case 'plan_asked': {
      const { subscription, planned: change, ticket } = fact;
      const before = known.planned[subscription];
      // The answer to the later question: it was put after every event that led to an earlier one.
      if (before !== undefined && before.ticket >= ticket) return { kind: 'reduced', facts: known };
      const planned = { ...known.planned, [subscription]: { change, ticket } };
      return { kind: 'reduced', facts: { ...known, planned } };
    }
    case 'allowance_paid': {
      const grant = mergeGrant(known.grants[fact.subscription], fact);
      const grants = { ...known.grants, [fact.subscription]: grant };
      return { kind: 'reduced', facts: { ...known, grants } };
    }
    case 'invoice_disputed': {
      const { invoice, subscription, amount, upgrade } = fact;
      const before = known.disputedInvoices[invoice];
      const disputes = withDispute(before?.disputes ?? {}, fact);
      const disputed = {
        ...before,
        subscription,
        amount,
        disputes,
        ...(upgrade !== undefined && { upgrade }),
      };
      const disputedInvoices = { ...known.disputedInvoices, [invoice]: disputed };
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
    case 'hand_granted':
    case 'hand_revoked': {
      const grant = mergeHandGrant(known.handGrants[fact.grant], fact);
      const handGrants = { ...known.handGrants, [fact.grant]: grant };
      return { kind: 'reduced', facts: { ...known, handGrants } };
    }
    case 'account_closed':
      return { kind: 'reduced', facts: withoutGivenUp(known, fact.at) };
    default:
      return fact satisfies never;
  }
}

/**
 * The facts of an account that was deleted: they bring nothing any more, and a used trial stays used. Subscriptions stay,
 * since the deletion ended them at the provider.
 */
function withoutGivenUp(facts: Facts, at: Millis): Facts {
  const { [IMPORTED]: _, ...grants } = facts.grants;
  const { customerId = null, trialUsed = false } = facts.imported ?? {};
  const imported = {
    ...{ paid: false, plan: null, status: null, cancelAtPeriodEnd: false, currentPeriodEnd: null },
    ...{ customerId, trialUsed },
  };
  const had = [...Object.keys(facts.purchases), ...Object.keys(facts.handGrants)];
  return {
    ...facts,
    grants,
    purchases: {},
    handGrants: {},
    ...(facts.imported !== null && { imported }),
    givenUp: { at, ids: [...new Set([...(facts.givenUp?.ids ?? []), ...had])] },
  };
}

export function withSubscription(facts: Facts, id: string, subscription: SubscriptionFact): Facts {
  const subscriptions = { ...facts.subscriptions, [id]: subscription };
  return withPlanCredits({ ...facts, subscriptions }, id, subscription.state);
}

/** Two periods, each with what invoices bring and with what the clock does. */
const KEPT_CREDITS = 4;

/**
 * Adds what a snapshot's plan brings, also where another snapshot is the newer one. Of each period the most is kept, and
 * of the periods the newest: the one that is paid for, and the one that may have begun since. A join: whatever order
 * snapshots come in, it ends the same.
 */
export function withPlanCredits(facts: Facts, id: string, { status, brings }: SubscriptionState): Facts {
  if (brings === undefined || !isServed(status)) return facts;
  const isSame = (each: PlanCredits) =>
    each.from === brings.from && each.until === brings.until && isOfOneForm(each, brings);
  const known = facts.planCredits[id] ?? [];
  const dearest = known.filter(isSame).reduce((most, each) => (isDearer(each, most) ? each : most), brings);
  const others = known.filter((each) => !isSame(each));
  const byClock = ({ terms }: PlanCredits) => Number(terms !== undefined);
  const periods = [...others, dearest].sort(
    (a, b) => b.from - a.from || (b.until ?? 0) - (a.until ?? 0) || byClock(a) - byClock(b),
  );
  return { ...facts, planCredits: { ...facts.planCredits, [id]: periods.slice(0, KEPT_CREDITS) } };
}

type Brought = Pick<PlanCredits, 'credits' | 'terms'>;

/** Whether both come with an invoice, or both by the clock: what was spent of the one can be told from the other. */
export function isOfOneForm(a: Brought, b: Brought): boolean {
  return (a.terms === undefined) === (b.terms === undefined);
}

/** Whether `a` brings more in the same time than `b`, which is of one form with it. */
export function isDearer(a: Brought, b: Brought): boolean {
  if (a.terms === undefined || b.terms === undefined) return a.credits > b.credits;
  const length = ({ every }: ClockTerms) => periodAt(0, every, 0).end;
  const [one, other] = [a.credits * length(b.terms), b.credits * length(a.terms)];
  // Of as many credits, what order of arrival does not decide.
  return one > other || (one === other && textOf(a.terms) > textOf(b.terms));
}

function textOf({ every, rollover = 0, limits = [] }: ClockTerms): string {
  return [every, rollover, ...limits.map((limit) => `${limit.amount}/${limit.every}`)].join();
}

/** Paid for or on trial. */
export function isServed(status: string): boolean {
  return isEntitling(status) && !isOverdue(status);
}

function withCustomer(facts: Facts, customer: string, fact: KnownFact): Facts {
  const before = facts.customers[customer];
  const at = Math.max(before?.at ?? 0, fact.at);
  const deleted = fact.kind === 'customer_deleted' || before?.deleted === true;
  return { ...facts, customers: { ...facts.customers, [customer]: { at, deleted } } };
}

/** What the provider said last of a subscription's change, and the fencing token of that answer. */
interface PlannedFact {
  readonly change: PlannedChange | null;
  readonly ticket: number;
}

/** The newest allowance that an invoice paid for, per subscription. */
export interface AllowanceGrant {
  readonly invoice: string;
  readonly periodStart: Millis;
  /** Absent in facts from before it was kept; null where the invoice named none. */
  readonly periodEnd?: Millis | null;
  readonly invoiceCreated: Millis;
  /** Not the subscription's first invoice. */
  readonly renews?: boolean;
  /** Made by a change of the subscription; absent in facts from before it was kept. */
  readonly changes?: boolean;
  readonly credits: number;
  /** The credits are those of each of the clock's periods; absent where the invoice brought them all. */
  readonly terms?: ClockTerms;
  /** Absent in facts from before it was kept. */
  readonly billed?: Billed;
  /** What invoices with such terms paid for, in spans with gaps between them; the earliest first. */
  readonly paid?: readonly Span[];
  /** This or another invoice of the subscription granted credits, whichever became known first. */
  readonly metered: boolean;
  /** This or another invoice of the subscription cost something; absent in facts from before it was kept. */
  readonly costly?: boolean;
}

/** From one instant to another; null where the invoice named no end. */
export interface Span {
  readonly from: Millis;
  readonly until: Millis | null;
}

/** The newer of the grant that is known and the one that was paid for. */
export function mergeGrant(
  before: AllowanceGrant | undefined,
  fact: Extract<Fact, { kind: 'allowance_paid' }>,
): AllowanceGrant {
  const { invoice, periodStart, periodEnd, invoiceCreated, renews, credits, terms, billed } = fact;
  const metered = credits > 0 || before?.metered === true;
  const costly = fact.amountPaid > 0 || before?.costly === true;
  const known = { invoice, periodStart, periodEnd, invoiceCreated, renews, credits, metered, costly };
  const seen = {
    ...known,
    ...(fact.changes === true && { changes: true }),
    ...(terms !== undefined && { terms }),
    ...(billed !== undefined && { billed }),
  };
  const isOld = before !== undefined && compareInvoices(before, seen) >= 0;
  // A build from before such terms read the same invoice without them.
  const newest = isOld ? { ...before, ...(before.invoice === invoice && terms && { terms }) } : seen;
  const paid = terms === undefined ? [] : [{ from: periodStart, until: periodEnd }];
  const spans = joined([...(before?.paid ?? []), ...paid]);
  return { ...newest, metered, costly, ...(spans.length > 0 && { paid: spans }) };
}

/** Spans that touch or overlap as one: whatever order they came in, they end the same. */
function joined(spans: readonly Span[]): readonly Span[] {
  const endOf = ({ until }: Span) => until ?? Number.POSITIVE_INFINITY;
  const apart: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.from - b.from || endOf(a) - endOf(b))) {
    const last = apart.at(-1);
    if (last === undefined || endOf(last) < span.from) apart.push(span);
    else if (endOf(last) < endOf(span)) apart[apart.length - 1] = { ...last, until: span.until };
  }
  return apart;
}

/** Newest last: by the period paid for, then the invoice's creation, then its id. */
export function compareGrants(a: AllowanceGrant, b: AllowanceGrant): number {
  return compareTimes(a, b) || (a.invoice === b.invoice ? 0 : a.invoice < b.invoice ? -1 : 1);
}

/**
 * The same for the invoices of one subscription. Within a second the one that began it comes first, then one that renews it,
 * then one that a change made. Of two changes the one that brings more counts: both were paid for.
 */
export function compareInvoices(a: AllowanceGrant, b: AllowanceGrant): number {
  const renews = Number(a.renews === true) - Number(b.renews === true);
  const changes = Number(a.changes === true) - Number(b.changes === true);
  return compareTimes(a, b) || renews || changes || a.credits - b.credits || compareGrants(a, b);
}

function compareTimes(a: AllowanceGrant, b: AllowanceGrant): number {
  return a.periodStart - b.periodStart || a.invoiceCreated - b.invoiceCreated;
}

/** All that is known of a one-time purchase, in whichever order it became known. */
export interface Purchase {
  readonly product: Product | null;
  readonly credits: number;
  /** Of a pack whose credits end. */
  readonly expiresAfterDays?: number;
  /** Of a lifetime plan with credits. */
  readonly allowance?: AllowanceTerms;
  readonly lookupKey: string | null;
  /** Of a lifetime plan, what was sold with it; absent where its sale did not say: then the catalogue says. */
  readonly entitlements?: readonly string[];
  /** When the provider said that it is paid; null while only its refund or dispute is known. */
  readonly paidAt: Millis | null;
  readonly charge: string | null;
  /** Minor currency units; null until a refund or a dispute says. */
  readonly amount: number | null;
  /** Refund levels seen: cumulative amount at a time. The key is made of both, so a twin event adds nothing. */
  readonly refunds: Readonly<Record<string, { readonly at: Millis; readonly refunded: number }>>;
  /** By refund id. */
  readonly failures: Readonly<Record<string, { readonly at: Millis; readonly amount: number }>>;
  /** By dispute id. */
  readonly disputes: Disputes;
  /** Which arrival first said that it is paid, and that money went back: only to order what shares a second. */
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
 * @param arrival which of the facts about this user's purchases it is
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
        ...(fact.expiresAfterDays !== undefined && { expiresAfterDays: fact.expiresAfterDays }),
        ...(fact.allowance !== undefined && { allowance: fact.allowance }),
        lookupKey: fact.lookupKey,
        ...(fact.entitlements !== undefined && { entitlements: fact.entitlements }),
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
 * too close in time to be ordered), less the refunds that failed since.
 */
function refundedOf(purchase: Purchase): number {
  const levels = Object.values(purchase.refunds);
  if (levels.length === 0) return 0;
  const latest = Math.max(...levels.map(({ at }) => at));
  const newest = levels.filter(({ at }) => latest - at <= UNORDERED_WITHIN);
  const refunded = Math.max(...newest.map((level) => level.refunded));
  const failed = Object.values(purchase.failures).filter(({ at }) => at >= latest);
  const left = failed.reduce((sum, { amount }) => sum - amount, refunded);
  return Math.max(0, left);
}

/** Stands where the provider's object id would, for what an account had before there were facts. */
export const IMPORTED = 'imported';
