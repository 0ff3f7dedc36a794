import type { Catalog } from '@extension-billing/contract/catalog';
import {
  type Millis,
  type PlannedChange,
  planKindOf,
  type Renewal,
  type RunningSubscription,
} from '@extension-billing/contract/customer';
import type { Entitlement } from '@extension-billing/contract/record';
import {
  hasBegun,
  isEntitling,
  isOver,
  isOverdue,
  isRunning,
  rankOf,
} from '@extension-billing/contract/subscription-status';
import { DAY } from '@extension-billing/contract/time';
import { isForgiven, type SubscriptionFact, type SubscriptionState } from '../stripe/facts.ts';
import { type BesideLifetime, endingOf, grantsSold, isSold } from '../stripe/sale.ts';
import { isUndone, undoneUpgrade, withheldBy } from './disputes.ts';
import { type AllowanceGrant, type Facts, type ImportedRecord, isFullyRefunded } from './facts.ts';
import { complimentaryOf } from './hand-grants.ts';

/**
 * What the facts entitle to at `now` (design, section 5, "derive"), and until when without another word from the
 * provider. Packs alone never entitle.
 */
export function entitlementOf(facts: Facts, now: Millis, catalog: Catalog): Entitlement {
  // What the account sells beside this project says nothing here.
  const sold = Object.entries(facts.subscriptions)
    .filter(([, { state }]) => isSold(state, catalog))
    // Of those that are alike in all that orders them, the id says which is shown.
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const subscriptions = sold.map(([, subscription]) => subscription);
  const shared = {
    customerId: customerOf(facts),
    trialUsed: facts.imported?.trialUsed === true || subscriptions.some(({ state }) => state.trialed),
  };
  const filled = subscriptions.filter(({ state }) => state.empty !== true);
  const live = filled.filter(({ state }) => !isOver(state.status)).sort(byRankThenPeriod);
  const rights = rightsOf(sourcesOf(facts, catalog), now);
  const lifetimes = lifetimesOf(facts);
  const [lifetime] = lifetimes;
  if (lifetime !== undefined) {
    const running = runningOf(live, ownedWith(lifetimes, catalog), catalog);
    return {
      ...rights,
      plan: lifetime.lookupKey,
      planKind: 'lifetime',
      status: 'active',
      cancelAtPeriodEnd: false,
      currentPeriodEnd: null,
      ...shared,
      ...(running !== null && { runningSubscription: running }),
    };
  }
  const { imported } = facts;
  if (imported !== null && isUnheard(facts, catalog)) {
    const { entitlements: _, ...shown } = imported;
    const planKind = planKindOf(imported);
    // Past its bound it is over: a status that runs on would keep its owner from ever buying again.
    if (!imported.paid || isWithin(importedUntil(imported), now))
      return { ...shown, ...(planKind !== undefined && { planKind }), ...rights, ...shared };
  }
  const [shown] = live;
  if (shown !== undefined) {
    const renewal = renewalOf(shown.state);
    const id = idIn(facts, shown);
    const plannedChange = plannedOf(facts, id, shown);
    return {
      ...rights,
      plan: paidFor(facts, id, shown.state).lookupKey,
      planKind: 'subscription',
      status: shown.state.status,
      cancelAtPeriodEnd: shown.state.cancel,
      currentPeriodEnd: shown.state.periodEnd,
      ...(renewal !== null && { renewal }),
      ...shared,
      ...(plannedChange !== null && { plannedChange }),
    };
  }
  const last = filled.sort(byRankThenPeriod)[0]?.state.status ?? null;
  return {
    ...rights,
    plan: null,
    status: last,
    cancelAtPeriodEnd: false,
    currentPeriodEnd: null,
    ...shared,
  };
}

/**
 * Whether nothing is known of the subscription behind an imported record. A checkout that was begun says nothing of it.
 */
function isUnheard({ imported, subscriptions }: Facts, catalog: Catalog): boolean {
  const sold = Object.values(subscriptions).filter(({ state }) => isSold(state, catalog));
  return sold.length === 0 || (imported?.paid === true && !sold.some(({ state }) => hasBegun(state.status)));
}

/**
 * The provider's customer of an imported plan whose subscription was never heard of: it may be running there, also when
 * the plan is over by its date. Null where there is no such plan, or no such customer.
 */
export function unheardCustomer(facts: Facts, catalog: Catalog): string | null {
  const { imported } = facts;
  if (imported?.paid !== true || planKindOf(imported) === 'lifetime') return null;
  if (!isUnheard(facts, catalog)) return null;
  return imported.customerId;
}

function idIn({ subscriptions }: Facts, known: SubscriptionFact): string {
  return Object.keys(subscriptions).find((each) => subscriptions[each] === known) ?? '';
}

/**
 * What a subscription still changes to. The change itself may be known before its schedule's end is, and one that is
 * set to end changes to nothing.
 */
function plannedOf({ planned }: Facts, id: string, shown: SubscriptionFact): PlannedChange | null {
  const { cancel, lookupKey, periodStart = null } = shown.state;
  const change = planned[id]?.change ?? null;
  if (change === null || cancel || change.plan === lookupKey) return null;
  return periodStart !== null && change.at <= periodStart ? null : change;
}

/**
 * The currency that the provider bills this customer in, as long as a subscription lives: it takes no second one beside
 * it. Null where none lives, or nothing is known of its currency.
 */
export function billedCurrency({ subscriptions }: Facts): string | null {
  const live = Object.values(subscriptions).filter(({ state }) => !isOver(state.status));
  return live.map(({ state }) => state.currency ?? null).find((currency) => currency !== null) ?? null;
}

/** What is paid for of a subscription: the plan before a change whose payment a dispute keeps, else the plan that runs. */
function paidFor(
  facts: Facts,
  id: string,
  state: SubscriptionState,
): Pick<SubscriptionState, 'lookupKey' | 'entitlements'> {
  const undone = undoneUpgrade(facts, id);
  return undone !== null && isUndone(undone) ? undone.before : state;
}

/** One thing that entitles: a lifetime plan, an imported plan, a subscription, a complimentary plan. */
interface Source {
  /** What it brings beside `paid`. */
  readonly grants: readonly string[];
  /** How long it is believed; null where nothing bounds it. */
  readonly until: Millis | null;
}

function sourcesOf(facts: Facts, catalog: Catalog): readonly Source[] {
  const { imported } = facts;
  const isImported =
    imported?.paid === true && planKindOf(imported) !== 'lifetime' && isUnheard(facts, catalog);
  return [
    ...lifetimesOf(facts).map((lifetime) => ({ grants: grantsSold(lifetime, catalog), until: null })),
    ...(isImported
      ? [{ grants: grantsSold(soldTo(imported), catalog), until: importedUntil(imported) }]
      : []),
    ...Object.entries(facts.subscriptions)
      .filter(([, { state }]) => isSold(state, catalog))
      .filter(
        ([id, { state }]) => isEntitling(state.status) && state.empty !== true && !isWithheld(facts, id),
      )
      .map(([id, known]) => ({
        grants: grantsSold(paidFor(facts, id, known.state), catalog),
        until: entitledUntil(facts, id, known),
      })),
    ...Object.values(facts.handGrants).flatMap(complimentaryOf),
  ];
}

/**
 * What the sources entitle to at `now`: all that any of them does, each part of it as long as the last of those that
 * bring it.
 */
function rightsOf(
  sources: readonly Source[],
  now: Millis,
): Pick<Entitlement, 'paid' | 'entitledUntil' | 'entitlements' | 'entitlementsUntil'> {
  const held = sources.filter(({ until }) => isWithin(until, now));
  const entitlements = [...new Set(held.flatMap(({ grants }) => grants))].sort();
  const bounds = entitlements.flatMap((name): [string, Millis][] => {
    const until = lastOf(held.filter(({ grants }) => grants.includes(name)));
    return until === null ? [] : [[name, until]];
  });
  return {
    paid: held.length > 0,
    entitledUntil: lastOf(held),
    ...(entitlements.length > 0 && { entitlements }),
    ...(bounds.length > 0 && { entitlementsUntil: Object.fromEntries(bounds) }),
  };
}

/** The last instant of what any of them brings; null where one has no bound, or there is none. */
function lastOf(sources: readonly Source[]): Millis | null {
  const bounds = sources.flatMap(({ until }) => until ?? []);
  return bounds.length === 0 || bounds.length < sources.length ? null : Math.max(...bounds);
}

/**
 * Whether a dispute keeps all the money of the newest period that was paid. The period it took back does not entitle;
 * a later one that is paid does.
 */
function isWithheld({ grants, disputedInvoices }: Facts, subscription: string): boolean {
  const known = disputedInvoices[grants[subscription]?.invoice ?? ''];
  return known !== undefined && withheldBy(known.disputes) >= known.amount;
}

/** What is billed when the period ends; null where nothing is, or it is not known what. */
function renewalOf({ status, cancel, pause, renewal }: SubscriptionState): Renewal | null {
  const isBilled = isEntitling(status) && !cancel && (pause ?? null) === null;
  return isBilled ? (renewal ?? null) : null;
}

/** What a page shows of the subscription that a lifetime plan's owner still has; null where there is none. */
function runningOf(
  live: readonly SubscriptionFact[],
  owned: readonly string[],
  catalog: Catalog,
): RunningSubscription | null {
  const shown = live.find(({ state }) => isRunning(state.status));
  if (shown === undefined) return null;
  const { lookupKey, status, periodEnd, cancel } = shown.state;
  const addsTo = grantsSold(shown.state, catalog).some((name) => !owned.includes(name));
  return {
    plan: lookupKey,
    status,
    currentPeriodEnd: periodEnd,
    cancelAtPeriodEnd: cancel,
    ...(addsTo && { goesOn: true }),
  };
}

/** A lifetime plan that is owned: bought, or imported, and its money not given back. */
interface OwnedLifetime {
  /** Lookup key that was bought; null where nothing named it. */
  readonly lookupKey: string | null;
  /** What was sold with it; absent where its sale did not say. */
  readonly entitlements?: readonly string[];
  /** 0 for an imported one. */
  readonly paidAt: Millis;
}

/** What an account that was brought along had bought, as far as it said. */
function soldTo({ plan, entitlements }: ImportedRecord): Omit<OwnedLifetime, 'paidAt'> {
  return { lookupKey: plan, ...(entitlements !== undefined && { entitlements }) };
}

/** The lifetime plans that are owned; the one that is shown comes first: it was bought last. */
function lifetimesOf({ imported, purchases }: Facts): readonly OwnedLifetime[] {
  const bought = Object.entries(purchases)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, purchase]): OwnedLifetime[] => {
      const { product, lookupKey, entitlements, paidAt } = purchase;
      if (product !== 'lifetime' || paidAt === null || isFullyRefunded(purchase)) return [];
      return [{ lookupKey, ...(entitlements !== undefined && { entitlements }), paidAt }];
    });
  const isImported = imported?.paid === true && planKindOf(imported) === 'lifetime';
  return [...bought, ...(isImported ? [{ ...soldTo(imported), paidAt: 0 }] : [])].toSorted(
    (a, b) => b.paidAt - a.paidAt,
  );
}

function ownsLifetime(facts: Facts): boolean {
  return lifetimesOf(facts).length > 0;
}

/** What the lifetime plans entitle to together, beside `paid`. */
function ownedWith(lifetimes: readonly OwnedLifetime[], catalog: Catalog): readonly string[] {
  return lifetimes.flatMap((lifetime) => grantsSold(lifetime, catalog));
}

/** The provider customer seen last that still exists there. */
function customerOf(facts: Facts): string | null {
  const existing = Object.entries(facts.customers).filter(([, { deleted }]) => !deleted);
  existing.sort(([a, one], [b, other]) => other.at - one.at || (a < b ? 1 : -1));
  const [newest] = existing;
  if (newest !== undefined) return newest[0];
  return Object.keys(facts.customers).length === 0 ? (facts.imported?.customerId ?? null) : null;
}

function byRankThenPeriod(a: SubscriptionFact, b: SubscriptionFact): number {
  return (
    rankOf(a.state.status) - rankOf(b.state.status) ||
    (b.state.periodEnd ?? 0) - (a.state.periodEnd ?? 0) ||
    // Arrival must not decide, so a last resort that does not depend on it.
    compareText(textOf(a), textOf(b))
  );
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function textOf({ state }: SubscriptionFact): string {
  const { status, cancel, lookupKey, periodEnd, trialed } = state;
  return JSON.stringify({ status, cancel, lookupKey, periodEnd, trialed });
}

/**
 * How long what was last heard may be believed (docs/decisions/entitlements.md): pure functions of the facts,
 * so that the time alone says what is in force. All in milliseconds.
 */

/** After a period that should have been renewed or ended: the provider delivers for three days, and is compared daily. */
const SILENCE_GRACE: Millis = 7 * DAY;
/** After what was paid, while the provider tries to collect the next payment. */
const PAST_DUE_GRACE: Millis = 30 * DAY;
/** The same where nothing was ever paid: a trial whose first payment failed. */
const NEVER_PAID_GRACE: Millis = 3 * DAY;
/** After what was paid, while the owner of the project has paused its collection and serves for free. */
const PAUSED_GRACE: Millis = 30 * DAY;
/** After the period that it was paid for, an allowance that nothing has replaced. */
export const ALLOWANCE_GRACE: Millis = 30 * DAY;

/**
 * Until when a subscription in a paying status entitles; null where nothing says.
 *
 * @param id of the subscription
 */
export function entitledUntil(facts: Facts, id: string, { state }: SubscriptionFact): Millis | null {
  const grant = facts.grants[id];
  // What the newest paid invoice paid for; before any is known, nothing of the running period is.
  const paidThrough = grant === undefined ? (state.periodStart ?? null) : paidUpTo(grant, state);
  const pause = state.pause ?? null;
  if (pause !== null) {
    const from = paidThrough ?? state.periodEnd;
    if (isForgiven(pause)) return from;
    const resumed = pause.resumesAt === null ? null : pause.resumesAt + SILENCE_GRACE;
    return from === null ? resumed : Math.max(from + PAUSED_GRACE, resumed ?? 0);
  }
  if (isOverdue(state.status)) {
    const from = paidThrough ?? state.periodEnd;
    return from === null ? null : from + (hasPaid(facts, grant) ? PAST_DUE_GRACE : NEVER_PAID_GRACE);
  }
  return state.periodEnd === null ? null : state.periodEnd + SILENCE_GRACE;
}

/**
 * Facts from before its end was kept: what was paid for began when the grant did, lasted as long as the running period
 * does, and ended before that one began, where that is another.
 */
function paidUpTo({ periodStart, periodEnd }: AllowanceGrant, state: SubscriptionState): Millis | null {
  if (periodEnd !== undefined) return periodEnd;
  const { periodStart: start = null, periodEnd: end } = state;
  if (start === null || start <= periodStart) return null;
  return end === null ? start : Math.min(start, periodStart + end - start);
}

/** Facts from before amounts were kept do not say: who has an invoice there counts as having paid. */
function hasPaid({ imported }: Facts, grant: AllowanceGrant | undefined): boolean {
  if (grant === undefined) return imported?.paid === true;
  return grant.costly ?? true;
}

/** Until when a plan that was imported entitles, while no event has named its subscription; null: for ever. */
function importedUntil({ currentPeriodEnd }: ImportedRecord): Millis | null {
  return currentPeriodEnd === null ? null : currentPeriodEnd + SILENCE_GRACE;
}

/** Whether an allowance is over by the clock alone. */
export function isLapsed({ periodEnd }: AllowanceGrant, now: Millis): boolean {
  return periodEnd != null && now >= periodEnd + ALLOWANCE_GRACE;
}

/** Whether what holds until then holds now; without a bound it does. */
function isWithin(until: Millis | null, now: Millis): boolean {
  return until === null || now < until;
}

/**
 * The subscriptions that would charge the owner of a lifetime plan again for what that plan has, as far as is known; null
 * for those who own none.
 */
export function besideLifetime(facts: Facts, catalog: Catalog): BesideLifetime | null {
  if (!ownsLifetime(facts)) return null;
  const owned = ownedWith(lifetimesOf(facts), catalog);
  const subscriptions = Object.entries(facts.subscriptions)
    .filter(([, { state }]) => endingOf(state, catalog, owned) !== null)
    .map(([id]) => id);
  return { subscriptions, owned };
}
