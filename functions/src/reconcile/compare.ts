import type { Catalog } from '@extension-billing/contract/catalog';
import type { Millis, PlannedChange } from '@extension-billing/contract/customer';
import { balancesOf, NO_CREDITS, planKindOf } from '@extension-billing/contract/customer';
import type { CustomerRecord } from '@extension-billing/contract/record';
import { isOver as isPoolOver, type Pool } from '@extension-billing/contract/schedule';
import { isOver } from '@extension-billing/contract/subscription-status';
import type { Balances } from '../credits/commands.ts';
import { totalOf } from '../credits/decide.ts';
import { type Account, derive } from '../events/derive.ts';
import { besideLifetime } from '../events/entitlement.ts';
import {
  type AllowanceGrant,
  clawedOf,
  compareInvoices,
  type Facts,
  IMPORTED,
  isFullyRefunded,
  mergeGrant,
  type Purchase,
  reduce,
} from '../events/facts.ts';
import type { HandFact, HandGrant, KnownFact } from '../events/hand-grants.ts';
import { sameState } from '../events/subscription.ts';
import { recordGiven } from '../free/budget.ts';
import { type SubscriptionState, UNORDERED_WITHIN } from '../stripe/facts.ts';
import type { ListedSubscription } from '../stripe/pages.ts';
import { endingOf } from '../stripe/sale.ts';
import type { CustomerFact, ProviderView, RefundsNow } from '../stripe/view.ts';

/**
 * Where the facts and the provider's present state do not agree, with the facts that would fix it. Facts only
 * grow: what the provider no longer shows, or never had, is reported and left to a person.
 *
 * @param token taken before the provider was asked; 0 where nothing will be applied
 */
export function compareWithProvider(
  facts: Facts,
  view: ProviderView,
  token: number,
  catalog: Catalog,
): readonly Difference[] {
  return [
    ...compareCustomers(facts, view),
    ...compareSubscriptions(facts, view, token),
    ...comparePlanned(facts, view, token),
    ...compareSales(view),
    ...compareWithLifetime(facts, view, catalog),
    ...comparePurchases(facts, view),
    ...compareDisputes(facts, view),
    ...compareAllowances(facts, view),
  ];
}

function compareCustomers(facts: Facts, view: ProviderView): readonly Difference[] {
  return view.customers.flatMap(({ id, deleted }): readonly Difference[] => {
    const known = facts.customers[id];
    if (!deleted || known === undefined || known.deleted) return [];
    const fact = { kind: 'customer_deleted', at: known.at } as const;
    const repair = { kind: 'facts', facts: [{ customer: id, fact }] } as const;
    return [{ kind: 'customer', about: id, here: 'exists', should: 'deleted', repair }];
  });
}

function compareSubscriptions(facts: Facts, view: ProviderView, token: number): readonly Difference[] {
  const changed = view.subscriptions.flatMap(({ id, customer, state }): readonly Difference[] => {
    const known = facts.subscriptions[id];
    if (known !== undefined && agrees(known.state, state)) return [];
    const at = known?.at ?? 0;
    const fact = {
      kind: 'subscription_asked',
      subscription: id,
      state,
      ticket: token,
      over: known ?? null,
      at,
    } as const;
    return [
      {
        kind: 'subscription',
        about: id,
        here: known === undefined ? 'not known' : describeState(known.state),
        should: describeState(state),
        repair: { kind: 'facts', facts: [{ customer, fact }] },
      },
    ];
  });
  const listed = new Set(view.subscriptions.map(({ id }) => id));
  const unknown = Object.entries(facts.subscriptions).flatMap(([id, { state }]): readonly Difference[] => {
    if (listed.has(id) || isOver(state.status)) return [];
    const why = 'the provider does not list it; look it up there';
    const here = describeState(state);
    return [{ kind: 'subscription', about: id, here, should: 'not listed', repair: { kind: 'none', why } }];
  });
  return [...changed, ...unknown];
}

/** Whether a user has to be looked at for what a list of all subscriptions shows of one. The list says less than a look. */
export function differsFromListed(
  facts: Facts,
  {
    id,
    state,
    hasSchedule,
    isChanged,
  }: Pick<ListedSubscription, 'id' | 'state' | 'hasSchedule' | 'isChanged'>,
  catalog: Catalog,
): boolean {
  const known = facts.subscriptions[id];
  if (known === undefined || !agrees(known.state, state) || isChanged === true) return true;
  if (hasSchedule !== ((facts.planned[id]?.change ?? null) !== null)) return true;
  const beside = besideLifetime(facts, catalog);
  return beside !== null && endingOf(state, catalog, beside.owned) !== null;
}

/** Subscriptions whose metadata is about an earlier price: what was sold with the one that runs is not kept. */
function compareSales({ subscriptions }: ProviderView): readonly Difference[] {
  return subscriptions.flatMap(({ id, state, isChanged }): readonly Difference[] => {
    if (isChanged !== true) return [];
    const repair = { kind: 'keep', subscription: id } as const;
    const should = `sold as ${state.lookupKey ?? 'its price'}`;
    return [{ kind: 'subscription', about: id, here: 'sold as an earlier plan', should, repair }];
  });
}

/** What subscriptions change to. */
function comparePlanned(facts: Facts, view: ProviderView, token: number): readonly Difference[] {
  return view.subscriptions.flatMap(({ id, customer, state, planned }): readonly Difference[] => {
    const known = facts.planned[id]?.change ?? null;
    if (isOver(state.status) || (known?.plan === planned?.plan && known?.at === planned?.at)) return [];
    const at = facts.subscriptions[id]?.at ?? 0;
    const fact = { kind: 'plan_asked', subscription: id, planned, ticket: token, at } as const;
    const repair = { kind: 'facts', facts: [{ customer, fact }] } as const;
    const [here, should] = [describePlanned(known), describePlanned(planned)];
    return [{ kind: 'subscription', about: id, here, should, repair }];
  });
}

function describePlanned(change: PlannedChange | null): string {
  if (change === null) return 'changes to nothing';
  return `changes to ${change.plan ?? 'no lookup key'} at ${new Date(change.at).toISOString().slice(0, 16)}Z`;
}

/** A subscription that would charge the owner of a lifetime plan again: its end failed, or was taken back. */
function compareWithLifetime(
  facts: Facts,
  { subscriptions }: ProviderView,
  catalog: Catalog,
): readonly Difference[] {
  const beside = besideLifetime(facts, catalog);
  if (beside === null) return [];
  const { owned } = beside;
  return subscriptions.flatMap(({ id, state }): readonly Difference[] => {
    if (endingOf(state, catalog, owned) === null) return [];
    const repair = { kind: 'end', subscription: id, owned } as const;
    const here = `lifetime, beside ${describeState(state)}`;
    return [{ kind: 'subscription', about: id, here, should: 'ended by the lifetime plan', repair }];
  });
}

/** Two that ended say the same, whatever else stands in them. */
function agrees(known: SubscriptionState, now: SubscriptionState): boolean {
  if (isOver(known.status)) return known.status === now.status || !isOver(now.status);
  return sameState(known, now) && (known.trialed || !now.trialed);
}

function describeState({ status, cancel, lookupKey, periodEnd }: SubscriptionState): string {
  const until = periodEnd === null ? '' : ` to ${new Date(periodEnd).toISOString().slice(0, 16)}Z`;
  return `${status}${cancel ? ', ends' : ''}, ${lookupKey ?? 'no lookup key'}${until}`;
}

/** Only the newest invoice of a subscription counts; one that ended still says that credits were in use. */
function compareAllowances(facts: Facts, view: ProviderView): readonly Difference[] {
  const newest = new Map<string, { readonly paid: CustomerFact; readonly grant: AllowanceGrant }>();
  for (const paid of view.allowances) {
    const { fact } = paid;
    if (fact.kind !== 'allowance_paid') continue;
    const grant = mergeGrant(undefined, fact);
    const before = newest.get(fact.subscription);
    if (before === undefined || compareInvoices(before.grant, grant) < 0)
      newest.set(fact.subscription, { paid, grant });
  }
  return [...newest].flatMap(([subscription, { paid, grant }]): readonly Difference[] => {
    const known = facts.grants[subscription];
    const reduced = reduce(facts, paid.fact, paid.customer);
    if (reduced.kind === 'undecidable') return [];
    const after = reduced.facts.grants[subscription];
    // The same invoice may have been read by a build that knew no credits by the clock, or before an import wrote the sale.
    const isSame =
      after?.invoice === known?.invoice && (after?.terms === undefined) === (known?.terms === undefined);
    const isUnread = paid.fact.kind === 'allowance_paid' && paid.fact.bySale === true && known?.credits === 0;
    if (isSame && !(isUnread && Number(after?.credits) > 0)) return [];
    return [
      {
        kind: 'allowance',
        about: grant.invoice,
        here: describeGrant(known ?? facts.grants[IMPORTED]),
        should: describeGrant(grant),
        repair: { kind: 'facts', facts: [paid] },
      },
    ];
  });
}

function describeGrant(grant: AllowanceGrant | undefined): string {
  if (grant === undefined) return 'none';
  return `${grant.credits} credits from ${new Date(grant.periodStart).toISOString().slice(0, 10)}`;
}

/** One-time purchases: paid or not, and what of each went back to the buyer. */
function comparePurchases(facts: Facts, view: ProviderView): readonly Difference[] {
  const byPurchase = new Map<string, CustomerFact[]>();
  const add = (purchase: string, facts: readonly CustomerFact[]) =>
    byPurchase.set(purchase, [...(byPurchase.get(purchase) ?? []), ...facts]);
  for (const each of view.purchases) if ('purchase' in each.fact) add(each.fact.purchase, [each]);
  for (const each of view.refunds) add(each.purchase, refundFacts(facts, each));

  const changed = [...byPurchase].flatMap(([purchase, stated]): readonly Difference[] => {
    const { after, news } = apply(facts, stated);
    const here = describePurchase(facts.purchases[purchase]);
    const should = describePurchase(after.purchases[purchase]);
    if (here === should) return [];
    return [{ kind: 'purchase', about: purchase, here, should, repair: { kind: 'facts', facts: news } }];
  });
  const unknown = Object.entries(facts.purchases).flatMap(([id, purchase]): readonly Difference[] => {
    if (id === IMPORTED || byPurchase.has(id) || purchase.paidAt === null) return [];
    const why = 'the provider does not list it; look it up there';
    const here = describePurchase(purchase);
    return [{ kind: 'purchase', about: id, here, should: 'not listed', repair: { kind: 'none', why } }];
  });
  return [...changed, ...unknown];
}

/** Disputes on the payments of subscriptions' invoices. */
function compareDisputes(facts: Facts, { disputedInvoices }: ProviderView): readonly Difference[] {
  return disputedInvoices.flatMap((disputed): readonly Difference[] => {
    if (disputed.fact.kind !== 'invoice_disputed') return [];
    const { invoice, dispute } = disputed.fact;
    const { after, news } = apply(facts, [disputed]);
    const here = describeDispute(facts, invoice, dispute);
    const should = describeDispute(after, invoice, dispute);
    if (here === should) return [];
    return [{ kind: 'dispute', about: dispute, here, should, repair: { kind: 'facts', facts: news } }];
  });
}

function describeDispute({ disputedInvoices }: Facts, invoice: string, id: string): string {
  const { amount, disputes = {}, upgrade } = disputedInvoices[invoice] ?? {};
  const known = disputes[id];
  if (known === undefined) return 'not known';
  const state = known.won ? 'won' : 'open or lost';
  const what = upgrade === undefined ? invoice : `${invoice}, a change from ${upgrade.before.lookupKey}`;
  return `${state}, ${known.disputed ?? 'all'} of ${amount} of ${what}`;
}

/** The facts after all that is stated, and those of it that say something new. */
function apply(facts: Facts, stated: readonly CustomerFact[]) {
  const news: CustomerFact[] = [];
  let after = facts;
  for (const each of stated) {
    const reduced = reduce(after, each.fact, each.customer);
    if (reduced.kind === 'undecidable') continue;
    if (moneyIn(reduced.facts) !== moneyIn(after)) news.push(each);
    after = reduced.facts;
  }
  return { after, news };
}

function moneyIn({ purchases, disputedInvoices }: Facts): string {
  return JSON.stringify([purchases, disputedInvoices]);
}

/**
 * The refunds of a charge as its events would have said them. When a refund failed stands nowhere in a list,
 * only that it did: so its level is put back on top, and taken off by a failure that follows the newest refund.
 */
function refundFacts(facts: Facts, now: RefundsNow): readonly CustomerFact[] {
  const { customer, purchase, charge, product, amount, newestAt } = now;
  const known = facts.purchases[purchase]?.failures ?? {};
  const failed = now.failed.map(({ refund, amount }) => ({
    amount,
    refund,
    at: known[refund]?.at ?? newestAt + UNORDERED_WITHIN + 1000,
  }));
  const later = failed.filter(({ at }) => at >= newestAt);
  const refunded = later.reduce((sum, { amount }) => sum + amount, now.refunded);
  const level = { kind: 'charge_refunded', purchase, charge, product, amount, refunded } as const;
  return [
    { customer, fact: { ...level, at: newestAt } },
    ...failed.map((failure) => ({
      customer,
      fact: { kind: 'refund_failed', purchase, ...failure } as const,
    })),
  ];
}

function describePurchase(purchase: Purchase | undefined): string {
  if (purchase === undefined || (purchase.paidAt === null && purchase.amount === null)) return 'not known';
  const paid = purchase.paidAt === null ? 'not paid' : 'paid';
  if (purchase.product !== 'pack') {
    return `${purchase.product}, ${paid}${isFullyRefunded(purchase) ? ', money back' : ''}`;
  }
  const clawed = clawedOf(purchase);
  return `pack of ${purchase.credits}, ${paid}${clawed > 0 ? `, ${clawed} clawed back` : ''}`;
}

/**
 * What the audit records say was given or taken back by hand, and the facts do not have: they were lost. What an account
 * was opened with has its credits already (events/open-account.ts), as far as they are kept for good.
 */
export function compareGrants(facts: Facts, given: readonly HandFact[]): readonly Difference[] {
  return given.flatMap((fact): readonly Difference[] => {
    const known = facts.handGrants[fact.grant];
    const isKnown = (fact.kind === 'hand_granted' ? known?.at : known?.revokedAt) ?? null;
    if (isKnown !== null) return [];
    const isOpening = fact.kind === 'hand_granted' && facts.imported !== null && fact.expires === null;
    const carried = isOpening ? { ...fact, credits: 0 } : fact;
    const reduced = reduce(facts, carried, null);
    // What was given before the account was deleted stays given up.
    if (reduced.kind === 'undecidable' || reduced.facts.handGrants[fact.grant] === known) return [];
    const here = describeGiven(known);
    const should = describeGiven(reduced.facts.handGrants[fact.grant]);
    const repair = { kind: 'facts', facts: [{ customer: null, fact: carried }] } as const;
    return [{ kind: 'grant', about: fact.grant, here, should, repair }];
  });
}

function describeGiven(grant: HandGrant | undefined): string {
  if (grant === undefined) return 'not known';
  const { credits, entitlements, revokedAt } = grant;
  const what = [...(credits > 0 ? [`${credits} credits`] : []), ...entitlements].join(', ') || 'nothing more';
  return revokedAt === null ? what : `${what}, revoked`;
}

/** Stands in where an event would: nothing happened, only what is known is derived once more. */
export const NOTHING_NEW = { kind: 'customer_seen', at: 0 } as const;

/** Where a record is not what its facts say. `updatedAt` moves with every write and says nothing. */
export function compareWithFacts(account: Account, now: Millis, catalog: Catalog): readonly Difference[] {
  const event = { id: 'check', type: 'check', at: 0, customer: null, fact: NOTHING_NEW };
  const { record } = derive(account, account.facts, event, now, catalog);
  // What the clock alone has changed is no difference.
  const current = account.record === null ? null : recordGiven(account.record, record.updatedAt);
  const isBounded = current?.entitledUntil !== undefined;
  // One from before it named the kind of its plan says it all the same.
  const knownKind = account.record === null ? undefined : planKindOf(account.record);
  return fieldsOf(record).flatMap((field): readonly Difference[] => {
    // A record from before there was a bound gets it with its next event.
    if (field === 'entitledUntil' && !isBounded) return [];
    const known = field === 'planKind' ? knownKind : current?.[field];
    const isPools = field === 'allowances';
    const here = show(isPools ? poolsAt(current, record.updatedAt) : known);
    const should = show(isPools ? poolsAt(record, record.updatedAt) : record[field]);
    return here === should
      ? []
      : [{ kind: 'record', about: field, here, should, repair: { kind: 'derive' } }];
  });
}

/** The pools that still say something, whichever order they are in; one that is over goes with the next event. */
function poolsAt(record: CustomerRecord | null, now: Millis): readonly Pool[] | undefined {
  const pools = (record?.allowances ?? []).filter((pool) => !isPoolOver(pool, now));
  return pools.length === 0 ? undefined : pools.sort((a, b) => (a.source < b.source ? -1 : 1));
}

function fieldsOf(record: CustomerRecord): readonly (keyof CustomerRecord)[] {
  const fields = new Set(Object.keys(record) as (keyof CustomerRecord)[]);
  // What an event takes away again.
  const removed = [
    'runningSubscription',
    'planKind',
    'entitlements',
    'entitlementsUntil',
    'allowances',
    'plannedChange',
  ] as const;
  for (const field of removed) fields.add(field);
  fields.delete('updatedAt');
  return [...fields];
}

function show(value: unknown): string {
  if (value === undefined) return 'missing';
  return typeof value === 'object' && value !== null ? JSON.stringify(value, sorted) : String(value);
}

/** Fields by their names: nobody promises their order in a document. */
function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The invariant of design section 4: the deltas of the ledger add up to the record. */
export function compareWithLedger(record: CustomerRecord | null, ledger: Balances): readonly Difference[] {
  const balances = balancesOf(record) ?? NO_CREDITS;
  if (balances.allowance === ledger.allowance && balances.packs === ledger.packs) return [];
  const here = describe(ledger);
  return [{ kind: 'ledger', about: 'sum', here, should: describe(balances), repair: { kind: 'derive' } }];
}

function describe(balances: Balances): string {
  return `${totalOf(balances)} = ${balances.allowance} allowance + ${balances.packs} packs`;
}

/** One thing on which record, ledger, facts, claim and provider do not agree. */
export interface Difference {
  readonly kind:
    | 'customer'
    | 'subscription'
    | 'purchase'
    | 'dispute'
    | 'allowance'
    | 'grant'
    | 'record'
    | 'ledger'
    | 'claim';
  /** The provider's object id, the grant's, or the record's field. */
  readonly about: string;
  /** What this service has, for a person to read. */
  readonly here: string;
  /** What it should be by the provider's word, or by the facts. */
  readonly should: string;
  readonly repair: Repair;
}

/** Of the provider, or of what was done by hand. */
export interface MissingFact {
  readonly customer: string | null;
  readonly fact: KnownFact;
}

type Repair =
  /** Facts to commit, in this order. */
  | { readonly kind: 'facts'; readonly facts: readonly MissingFact[] }
  /** Record and ledger are derived again from the facts. */
  | { readonly kind: 'derive' }
  /** The provider is asked to end a subscription. */
  | { readonly kind: 'end'; readonly subscription: string; readonly owned: readonly string[] }
  /** What was sold with a change of plan is kept at the provider. */
  | { readonly kind: 'keep'; readonly subscription: string }
  /** The claim is mirrored again. */
  | { readonly kind: 'mirror' }
  /** Nothing that this service may decide; a person has to look. */
  | { readonly kind: 'none'; readonly why: string };
