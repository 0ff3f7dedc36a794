import { besidePools, ownedCredits } from '@extension-billing/contract/credits';
import type { Millis } from '@extension-billing/contract/customer';
import { balancesOf, NO_CREDITS } from '@extension-billing/contract/customer';
import type { EventEntry } from '@extension-billing/contract/ledger';
import type { CustomerRecord } from '@extension-billing/contract/record';
import type { Balances } from '../credits/commands.ts';
import { type Account, NOTHING_SPENT, type SpendAllocation } from './derive.ts';
import { type Facts, IMPORTED, NO_FACTS, UNKNOWN_PURCHASE } from './facts.ts';

export interface Opened {
  readonly account: Account;
  /** Brings the ledger up to the balances that were found; null when it is there already. */
  readonly entry: EventEntry | null;
}

/**
 * An account that has no facts yet. A record that is there all the same came from elsewhere: its rights hold
 * until the provider says otherwise, and its credits are the starting balance, so nothing of it is lost.
 *
 * @param ledger what the ledger adds up to so far
 */
export function openAccount(
  record: CustomerRecord | null,
  ledger: Balances,
  eventId: string,
  now: Millis,
): Opened {
  const balances = balancesOf(record);
  if (record === null)
    return { account: { facts: NO_FACTS, allocation: NOTHING_SPENT, record }, entry: null };
  const owned = ownedCredits(record);
  const beside = owned === null ? null : besidePools(owned);
  const opening = openingEntry(balances, ledger, eventId, now);
  if (beside !== null && isOfRequests(record, beside))
    return { account: { facts: NO_FACTS, allocation: NOTHING_SPENT, record }, entry: opening };
  const { plan, status, cancelAtPeriodEnd, currentPeriodEnd, customerId, trialUsed } = record;
  const { planKind, entitlements } = record;
  const paid = record.paid && !isComplimentary(record);
  const imported = {
    ...{ paid, plan, status, cancelAtPeriodEnd, currentPeriodEnd, customerId, trialUsed },
    ...(planKind !== undefined && { planKind }),
    ...(entitlements !== undefined && { entitlements }),
  };
  const facts = { ...NO_FACTS, imported, ...(beside !== null && startingCredits(beside, record)) };
  const allocation: SpendAllocation = {
    ...NOTHING_SPENT,
    balances: beside ?? NO_CREDITS,
    grant: beside === null ? null : IMPORTED,
    spentOfGrants: beside === null ? {} : { [IMPORTED]: grantedOf(beside, record) - beside.allowance },
  };
  return { account: { facts, allocation, record }, entry: opening };
}

/** A bound without a plan: no record from elsewhere has that. The audit records say what was given, and until when. */
function isComplimentary({ plan, planKind, entitledUntil }: CustomerRecord): boolean {
  return plan === null && planKind === undefined && typeof entitledUntil === 'number';
}

/** A record that nobody bought anything for: a request made it, for the pools that it brought. */
function isOfRequests(record: CustomerRecord, beside: Balances): boolean {
  const { paid, plan, status, customerId, trialUsed, allowances = [] } = record;
  const isBought = paid || plan !== null || status !== null || customerId !== null || trialUsed;
  return allowances.length > 0 && !isBought && beside.allowance === 0 && beside.packs === 0;
}

function startingCredits(balances: Balances, record: CustomerRecord): Pick<Facts, 'purchases' | 'grants'> {
  const lot = { ...UNKNOWN_PURCHASE, product: 'pack', credits: balances.packs, paidAt: 0 } as const;
  return {
    purchases: { [IMPORTED]: lot },
    grants: {
      [IMPORTED]: {
        invoice: IMPORTED,
        periodStart: 0,
        periodEnd: record.currentPeriodEnd,
        invoiceCreated: 0,
        credits: grantedOf(balances, record),
        metered: true,
      },
    },
  };
}

/** The size of the imported allowance, of which a part may have been spent. */
function grantedOf({ allowance }: Balances, { monthlyCredits }: CustomerRecord): number {
  return Math.max(allowance, monthlyCredits ?? 0);
}

function openingEntry(
  balances: Balances | null,
  ledger: Balances,
  eventId: string,
  now: Millis,
): EventEntry | null {
  if (balances === null) return null;
  const deltaAllowance = balances.allowance - ledger.allowance;
  const deltaPack = balances.packs - ledger.packs;
  if (deltaAllowance === 0 && deltaPack === 0) return null;
  return {
    id: `opening_${eventId}`,
    kind: 'opening',
    reason: 'credits found on the account before its first event',
    eventId,
    deltaAllowance,
    deltaPack,
    allowance: balances.allowance,
    packCredits: balances.packs,
    createdAt: now,
  };
}
