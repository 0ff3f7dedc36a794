import type { Catalog } from '@extension-billing/contract/catalog';
import {
  besidePools,
  OWNS_NOTHING,
  type OwnedCredits,
  ownedCredits,
  ownedWith,
  periodEntry,
  toCreditFields,
} from '@extension-billing/contract/credits';
import type { Millis } from '@extension-billing/contract/customer';
import { balancesOf, NO_CREDITS } from '@extension-billing/contract/customer';
import type { EventEntry, PeriodEntry } from '@extension-billing/contract/ledger';
import type { CustomerRecord } from '@extension-billing/contract/record';
import { isFreePool, type Pool } from '@extension-billing/contract/schedule';
import { hasBegun, isOver } from '@extension-billing/contract/subscription-status';
import type { Balances } from '../credits/commands.ts';
import { advanceGiven } from '../free/budget.ts';
import type { Billed } from '../stripe/facts.ts';
import { isSold } from '../stripe/sale.ts';
import {
  type DisputeReport,
  isUndone,
  takenWith,
  type UndoneUpgrade,
  undoneUpgrade,
  withheldBy,
} from './disputes.ts';
import { entitlementOf, isLapsed } from './entitlement.ts';
import {
  type AllowanceGrant,
  clawedOf,
  compareGrants,
  type Facts,
  IMPORTED,
  isDearer,
  isFullyRefunded,
  isOfOneForm,
  isServed,
} from './facts.ts';
import { type AccountEvent, handCauseOf } from './hand-grants.ts';
import { drawFromLots, drawFromPools, lotsOf, packPools, type SpentOfLots, totalOfLots } from './lots.ts';
import { lifetimePools, poolsAfter, subscriptionPool, type Withdrawn } from './pools.ts';

/** One user's account as the store holds it. */
export interface Account {
  readonly facts: Facts;
  readonly allocation: SpendAllocation;
  readonly record: CustomerRecord | null;
}

export interface Derived {
  readonly allocation: SpendAllocation;
  readonly record: CustomerRecord;
  /** What the clock did before the event; null where it moved nothing. */
  readonly period: PeriodEntry | null;
  /** The ledger delta; null when the event did not touch them. */
  readonly entry: EventEntry | null;
}

/**
 * The record that follows from the facts, given what was spent so far; and the ledger entry that accounts for
 * the difference. Pure: the same account, facts, event, time and catalogue always end in the same record.
 */
export function derive(
  account: Account,
  facts: Facts,
  event: AccountEvent,
  now: Millis,
  catalog: Catalog,
): Derived {
  // The clients drop a record that is older than the one they have, and clocks of instances differ.
  const updatedAt = Math.max(now, (account.record?.updatedAt ?? 0) + 1);
  const stored = ownedCredits(account.record);
  // By the clock alone; what the event does comes after it.
  const before = stored?.pools.length ? advanceGiven(stored, updatedAt) : (stored ?? OWNS_NOTHING);
  const period = before === stored ? null : periodEntry(stored, before, updatedAt);
  const spent = allocateSpend(account.allocation, account.facts, before, updatedAt);
  const allocation = rebalance(spent, facts, now, catalog);
  const { pools, withdrawn } = poolsOf(allocation, facts, before.pools, updatedAt, catalog);
  const entitlement = entitlementOf(facts, now, catalog);
  const after = ownedWith(allocation.balances, pools, entitlement.currentPeriodEnd);
  const record: CustomerRecord = {
    ...entitlement,
    updatedAt,
    ...(usesCredits(facts, account.record, catalog) && {
      ...toCreditFields(after),
      monthlyCredits: plainAllowanceOf(facts, now, catalog) + periodOf(pools),
    }),
  };
  const deltaAllowance = after.balances.allowance - before.balances.allowance;
  const deltaPack = after.balances.packs - before.balances.packs;
  const changed = deltaAllowance !== 0 || deltaPack !== 0;
  const cause = causeOf(account.facts, facts, event, now, catalog) ?? (changed ? correctionBy(event) : null);
  const { withdrawn: _, ...spending } = allocation;
  const isAny = Object.keys(withdrawn).length > 0;
  const kept = isAny ? { ...spending, withdrawn } : spending;
  if (cause === null) return { allocation: kept, record, period, entry: null };
  return {
    allocation: kept,
    record,
    period,
    entry: {
      ...cause,
      eventId: event.id,
      deltaAllowance,
      deltaPack,
      allowance: after.balances.allowance,
      packCredits: after.balances.packs,
      createdAt: updatedAt,
    },
  };
}

/** Credits that a period of the pools that are paid for brings to the allowance. */
function periodOf(pools: readonly Pool[]): number {
  const paid = pools.filter((pool) => pool.kind === 'allowance' && !isFreePool(pool));
  return paid.reduce((sum, { amount }) => sum + amount, 0);
}

/** Someone raised the balances past this service: the facts win, and the ledger says so. Or the account was deleted. */
function correctionBy(event: AccountEvent): Cause {
  if (event.fact.kind === 'account_closed')
    return { id: `drop_${event.id}`, kind: 'drop', reason: 'account deleted' };
  return { id: `correction_${event.id}`, kind: 'correction', reason: 'brought back to the facts' };
}

/** Credits are in use from the first grant on, also when nothing of it is left. */
function usesCredits(facts: Facts, record: CustomerRecord | null, catalog: Catalog): boolean {
  if (balancesOf(record) !== null) return true;
  const isGranted = Object.entries(facts.grants).some(([subscription, { metered }]) => {
    const known = facts.subscriptions[subscription];
    const isMetered = metered || facts.planCredits[subscription] !== undefined;
    return isMetered && (known === undefined || isSold(known.state, catalog));
  });
  return (
    isGranted ||
    Object.values(facts.purchases).some(
      ({ product, allowance, paidAt }) => paidAt !== null && (product === 'pack' || allowance !== undefined),
    ) ||
    Object.values(facts.handGrants).some(({ at, credits }) => at !== null && credits > 0)
  );
}

type Cause = Pick<EventEntry, 'id' | 'kind' | 'reason' | 'byHand'>;

/**
 * Which ledger entry an event's effect goes into, or null when it has none on credits. One effect has one id
 * (design, section 4), so an event that comes again under another id, or too late, moves nothing.
 */
function causeOf(
  before: Facts,
  after: Facts,
  event: AccountEvent,
  now: Millis,
  catalog: Catalog,
): Cause | null {
  const { fact } = event;
  const grantIn = (facts: Facts) => currentGrant(facts, now, catalog)?.invoice;
  switch (fact.kind) {
    case 'purchase_paid': {
      const isNew = (before.purchases[fact.purchase]?.paidAt ?? null) === null;
      if (!isNew || (fact.product !== 'pack' && fact.allowance === undefined)) return null;
      const reason = `${fact.product} ${fact.lookupKey ?? ''} bought`;
      return { id: `grant_${fact.purchase}`, kind: 'grant', reason };
    }
    case 'allowance_paid': {
      if (grantIn(after) === grantIn(before)) return null;
      return { id: `allowance_${fact.invoice}`, kind: 'allowance', reason: 'allowance of a new period' };
    }
    case 'subscription_seen':
    case 'subscription_asked': {
      const [was, is] = [before, after].map((each) => allowanceOf(each, now, catalog));
      if (grantIn(after) === grantIn(before) && is === was) return null;
      if (isServed(fact.state.status) && Number(is) > Number(was)) {
        const id = `raise_${fact.subscription}_${fact.state.periodStart}_${is}`;
        return { id, kind: 'allowance', reason: 'allowance of a dearer plan' };
      }
      const reason = isOver(fact.state.status) ? 'subscription ended' : 'plan not paid for';
      return { id: `drop_${fact.subscription}`, kind: 'drop', reason };
    }
    case 'charge_refunded': {
      if (clawedIn(before, fact.purchase) === clawedIn(after, fact.purchase)) return null;
      const id = `clawback_${fact.charge}_${fact.refunded}`;
      const again = Object.values(before.purchases[fact.purchase]?.refunds ?? {}).some(
        ({ refunded }) => refunded === fact.refunded,
      );
      return { id: again ? `${id}_${fact.at}` : id, kind: 'clawback', reason: 'money refunded' };
    }
    case 'refund_failed': {
      if (clawedIn(before, fact.purchase) === clawedIn(after, fact.purchase)) return null;
      return { id: `restore_${fact.refund}`, kind: 'restore', reason: 'refund failed' };
    }
    case 'dispute_seen': {
      if (clawedIn(before, fact.purchase) === clawedIn(after, fact.purchase)) return null;
      return describeDispute(fact);
    }
    case 'invoice_disputed':
      return allowanceOf(before, now, catalog) === allowanceOf(after, now, catalog)
        ? null
        : describeDispute(fact);
    case 'hand_granted':
    case 'hand_revoked':
      return handCauseOf(before.handGrants[fact.grant], fact);
    case 'customer_deleted':
    case 'customer_seen':
    case 'plan_asked':
    case 'account_closed':
      return null;
    default:
      return fact satisfies never;
  }
}

function describeDispute({ dispute, outcome }: DisputeReport): Cause {
  return outcome === 'won'
    ? { id: `restore_${dispute}`, kind: 'restore', reason: 'dispute won' }
    : { id: `clawback_${dispute}`, kind: 'clawback', reason: `dispute ${outcome}` };
}

/** Credits clawed from a purchase that is paid for; before that there is nothing to claw from. */
function clawedIn(facts: Facts, id: string): number {
  const purchase = facts.purchases[id];
  if (purchase === undefined || purchase.paidAt === null) return 0;
  // A lifetime plan's allowance goes whole, with the last of its money.
  if (purchase.allowance !== undefined) return isFullyRefunded(purchase) ? purchase.allowance.amount : 0;
  return clawedOf(purchase);
}

/**
 * What the balances beside the pools were made of when an event last wrote them. A consume only lowers the two
 * numbers in the record; the next event sees by how much, and allocates it here before it changes anything. That
 * keeps a consume to one document and every spent credit still has its origin.
 */
export interface SpendAllocation {
  /** The balances that the last event left. What is missing of them since was spent. */
  readonly balances: Balances;
  /** Invoice of the allowance in the balances; null when there is none. */
  readonly grant: string | null;
  /** Allowance credits spent, by the invoice that granted them. */
  readonly spentOfGrants: Readonly<Record<string, number>>;
  readonly spentOfLots: SpentOfLots;
  /** Absent where there are none. */
  readonly withdrawn?: Withdrawn;
}

export const NOTHING_SPENT: SpendAllocation = {
  balances: NO_CREDITS,
  grant: null,
  spentOfGrants: {},
  spentOfLots: {},
};

/** Allocates what was spent since the last event, from the facts as that event left them. */
function allocateSpend(
  allocation: SpendAllocation,
  facts: Facts,
  owned: OwnedCredits,
  now: Millis,
): SpendAllocation {
  const beside = besidePools(owned);
  const fromAllowance = Math.max(0, allocation.balances.allowance - beside.allowance);
  const fromPacks = Math.max(0, allocation.balances.packs - beside.packs);
  const after = {
    ...allocation,
    balances: beside,
    spentOfGrants: allocateToAllowance(allocation, fromAllowance),
  };
  if (!mayHaveLots(facts)) return after;
  const lots = lotsOf(facts);
  const spentOfLots = drawFromLots(lots, allocation.spentOfLots, fromPacks);
  return { ...after, spentOfLots: drawFromPools(lots, spentOfLots, owned.pools, now) };
}

function mayHaveLots({ purchases, handGrants }: Facts): boolean {
  return Object.keys(purchases).length > 0 || Object.keys(handGrants).length > 0;
}

function allocateToAllowance(allocation: SpendAllocation, spent: number): SpendAllocation['spentOfGrants'] {
  if (allocation.grant === null || spent === 0) return allocation.spentOfGrants;
  return {
    ...allocation.spentOfGrants,
    [allocation.grant]: (allocation.spentOfGrants[allocation.grant] ?? 0) + spent,
  };
}

/** The balances that the facts and the spending so far leave, and the allocation that goes with them. */
export function rebalance(
  allocation: SpendAllocation,
  facts: Facts,
  now: Millis,
  catalog: Catalog,
): SpendAllocation {
  const grant = currentGrant(facts, now, catalog);
  const spent = grant === null ? 0 : (allocation.spentOfGrants[grant.invoice] ?? 0);
  const allowance = Math.max(0, plainAllowanceOf(facts, now, catalog) - spent);
  const packs = mayHaveLots(facts) ? totalOfLots(lotsOf(facts), allocation.spentOfLots) : 0;
  return {
    // What a later build adds here is not this one's to drop.
    ...allocation,
    balances: { allowance, packs },
    grant: grant?.invoice ?? null,
    spentOfGrants: onlyKnown(allocation.spentOfGrants, facts),
  };
}

/** The pools in the record: those that others give, and those that the facts say are paid for. */
function poolsOf(
  { spentOfGrants, spentOfLots, withdrawn = {} }: SpendAllocation,
  facts: Facts,
  known: readonly Pool[],
  now: Millis,
  catalog: Catalog,
): { readonly pools: readonly Pool[]; readonly withdrawn: Withdrawn } {
  const grant = currentGrant(facts, now, catalog);
  const spent = grant === null ? 0 : (spentOfGrants[grant.invoice] ?? 0);
  const amount = allowanceOf(facts, now, catalog);
  const isBought = Object.values(facts.purchases).some(
    ({ allowance, expiresAfterDays }) => allowance !== undefined || expiresAfterDays !== undefined,
  );
  const isGiven = Object.values(facts.handGrants).some(({ expires }) => expires !== null);
  if (known.length === 0 && grant?.terms === undefined && !isBought && !isGiven)
    return { pools: [], withdrawn };
  const plan = grant && subscriptionPool(facts, grant.subscription, grant, { amount, spent });
  const paid = [...(plan === null ? [] : [plan]), ...lifetimePools(facts)];
  const given = known.filter(isFreePool);
  const allowances = known.filter((pool) => pool.kind === 'allowance' && !isFreePool(pool));
  const mayReturn = (source: string) =>
    facts.purchases[source] !== undefined || isBacked(facts, source, catalog);
  const after = poolsAfter(paid, allowances, withdrawn, now, mayReturn);
  const packs = packPools(lotsOf(facts), spentOfLots, now);
  return { pools: [...given, ...after.pools, ...packs], withdrawn: after.withdrawn };
}

/**
 * The allowance in force: the newest one that a live subscription stands behind. An invoice may arrive before
 * its subscription does, so one that is not known yet counts as live; one that ended never does. What was paid for a
 * period that is long over has lapsed.
 */
function currentGrant(facts: Facts, now: Millis, catalog: Catalog): CurrentGrant | null {
  const live = Object.entries(facts.grants).flatMap(([subscription, paid]) => {
    const grant = { ...paid, ...broughtBy(facts, subscription, paid) };
    // A plan without credits ends what its own subscription had, and says nothing of another's.
    return grant.credits > 0 && isBacked(facts, subscription, catalog) && !isLapsed(grant, now)
      ? [{ ...grant, subscription }]
      : [];
  });
  return live.reduce<CurrentGrant | null>(
    (newest, grant) => (newest === null || compareGrants(grant, newest) > 0 ? grant : newest),
    null,
  );
}

interface CurrentGrant extends AllowanceGrant {
  readonly subscription: string;
}

/** The same where its invoice brought it; 0 where the clock does. */
function plainAllowanceOf(facts: Facts, now: Millis, catalog: Catalog): number {
  return currentGrant(facts, now, catalog)?.terms === undefined ? allowanceOf(facts, now, catalog) : 0;
}

/**
 * What a grant is worth: what its invoice brought, or what a dearer plan brings that the subscription was changed to in
 * that very period, while it is paid for or on trial (docs/decisions/changes-of-plan.md). The one or the other,
 * never both: what was spent of the one is spent of the other.
 */
function broughtBy(
  facts: Facts,
  subscription: string,
  grant: AllowanceGrant,
): Pick<AllowanceGrant, 'credits' | 'terms'> {
  const { subscriptions, planCredits } = facts;
  const { periodStart, periodEnd = null } = grant;
  const status = subscriptions[subscription]?.state.status;
  const dearer = (planCredits[subscription] ?? []).find(
    (plan) =>
      plan.from === periodStart &&
      (plan.until ?? periodEnd) === (periodEnd ?? plan.until) &&
      isChanged(grant.billed, plan) &&
      isOfOneForm(plan, grant) &&
      isDearer(plan, grant),
  );
  const raised = status !== undefined && isServed(status) && dearer ? dearer : grant;
  const { credits, terms } = paidPartOf(raised, grant, undoneUpgrade(facts, subscription));
  return { credits, ...(terms !== undefined && { terms }) };
}

type Worth = Pick<AllowanceGrant, 'credits' | 'terms'>;

/** What is paid for of a raised allowance: what a change brought goes with the part of its payment that a dispute keeps. */
function paidPartOf(raised: Worth, grant: Worth, undone: UndoneUpgrade | null): Worth {
  if (undone === null) return raised;
  const { before, amount, withheld } = undone;
  const floor = isOfOneForm(before, grant) && isDearer(before, grant) ? before : grant;
  if (!isOfOneForm(raised, floor) || !isDearer(raised, floor)) return raised;
  if (isUndone(undone)) return floor;
  return { ...raised, credits: raised.credits - takenWith(raised.credits - floor.credits, withheld, amount) };
}

/** Whether a subscription is known to be billed for something else now: another price, or another number of it. */
function isChanged(was: Billed | undefined, is: Billed): boolean {
  if (was?.price === undefined || is.price === undefined) return false;
  return was.price !== is.price || was.quantity !== is.quantity;
}

/** The size of the allowance in force, less what a dispute of its payment takes; 0 where there is none. */
function allowanceOf(facts: Facts, now: Millis, catalog: Catalog): number {
  const grant = currentGrant(facts, now, catalog);
  if (grant === null) return 0;
  const known = facts.disputedInvoices[grant.invoice];
  if (known === undefined) return grant.credits;
  return grant.credits - takenWith(grant.credits, withheldBy(known.disputes), known.amount);
}

function isBacked(facts: Facts, subscription: string, catalog: Catalog): boolean {
  const known = facts.subscriptions[subscription];
  if (known !== undefined) return !isOver(known.state.status) && isSold(known.state, catalog);
  if (subscription !== IMPORTED) return true;
  // Nobody knows which subscription an imported allowance came from: it goes with the first one that ends, for good.
  const statuses = Object.values(facts.subscriptions).map(({ state }) => state.status);
  return !statuses.some((status) => isOver(status) && hasBegun(status));
}

/** What was spent of allowances that may come back. One that was replaced never does. */
function onlyKnown(
  spent: SpendAllocation['spentOfGrants'],
  { grants, undone = [] }: Facts,
): SpendAllocation['spentOfGrants'] {
  const known = new Set([...Object.values(grants).map(({ invoice }) => invoice), ...undone]);
  return Object.fromEntries(Object.entries(spent).filter(([invoice]) => known.has(invoice)));
}
