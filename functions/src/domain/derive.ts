import { balancesOf, NO_CREDITS } from '@extension-billing/contract/available-credits';
import type { CustomerRecord, Millis } from '@extension-billing/contract/customer';
import type { Balances } from './balance.ts';
import { allowanceOf, type Books, balanceBooks, bookSpending } from './books.ts';
import { entitlementOf } from './entitlement.ts';
import type { BillingEvent } from './events.ts';
import type { Facts } from './facts.ts';
import { isSold } from './is-sold.ts';
import type { EventEntry } from './ledger.ts';
import { describeMovement } from './movement.ts';

/** One user's account as the store holds it. */
export interface Account {
  readonly facts: Facts;
  readonly books: Books;
  readonly record: CustomerRecord | null;
}

export interface Derived {
  readonly books: Books;
  readonly record: CustomerRecord;
  /** How the balances moved; null when the event did not touch them. */
  readonly entry: EventEntry | null;
}

/**
 * The record that follows from the facts, given what was spent so far; and the ledger entry that accounts for
 * the difference. Pure: the same account, facts, event and time always end in the same record.
 */
export function derive(account: Account, facts: Facts, event: BillingEvent, now: Millis): Derived {
  const before = balancesOf(account.record) ?? NO_CREDITS;
  const spent = bookSpending(account.books, account.facts, before);
  const books = balanceBooks(spent, facts, now);
  // The clients drop a record that is older than the one they have, and clocks of instances differ.
  const updatedAt = Math.max(now, (account.record?.updatedAt ?? 0) + 1);
  const record: CustomerRecord = {
    ...entitlementOf(facts, now),
    updatedAt,
    ...(usesCredits(facts, account.record) && creditFields(books.balances, facts, now)),
  };
  const changed = books.balances.allowance !== before.allowance || books.balances.packs !== before.packs;
  const movement =
    describeMovement(account.facts, facts, event, now) ?? (changed ? correctionBy(event) : null);
  if (movement === null) return { books, record, entry: null };
  return {
    books,
    record,
    entry: {
      ...movement,
      eventId: event.id,
      deltaAllowance: books.balances.allowance - before.allowance,
      deltaPack: books.balances.packs - before.packs,
      allowance: books.balances.allowance,
      packCredits: books.balances.packs,
      createdAt: updatedAt,
    },
  };
}

/** Someone raised the balances past this service: the facts win, and the ledger says so. */
function correctionBy(event: BillingEvent) {
  return { id: `correction_${event.id}`, kind: 'correction', reason: 'brought back to the facts' } as const;
}

/** Credits are in use from the first grant on, also when nothing of it is left. */
function usesCredits(facts: Facts, record: CustomerRecord | null): boolean {
  if (balancesOf(record) !== null) return true;
  const isGranted = Object.entries(facts.grants).some(([subscription, { metered }]) => {
    const known = facts.subscriptions[subscription];
    return metered && (known === undefined || isSold(known.state));
  });
  return isGranted || Object.values(facts.purchases).some((p) => p.product === 'pack' && p.paidAt !== null);
}

function creditFields(balances: Balances, facts: Facts, now: Millis) {
  return {
    creditsRemaining: balances.allowance + balances.packs,
    creditsAllowance: balances.allowance,
    packCreditsRemaining: balances.packs,
    monthlyCredits: allowanceOf(facts, now),
  };
}
