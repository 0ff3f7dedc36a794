import { NO_CREDITS } from '@extension-billing/contract/available-credits';
import type { Millis } from '@extension-billing/contract/customer';
import type { Balances } from './balance.ts';
import { isLapsed } from './bounds.ts';
import { takenWith, withheldBy } from './dispute.ts';
import type { Facts } from './facts.ts';
import { type AllowanceGrant, compareGrants } from './grant.ts';
import { IMPORTED } from './imported.ts';
import { isSold } from './is-sold.ts';
import { drawFromLots, lotsOf, type SpentOfLots, totalOfLots } from './lots.ts';
import { hasRun, isTerminal } from './subscription-fact.ts';

/**
 * What the spendable balances were made of when an event last wrote them. A consume only lowers the two
 * numbers in the record; the next event sees by how much, and books it here before it changes anything. That
 * keeps a consume to one document and still tells every spent credit's origin.
 */
export interface Books {
  /** The balances that the last event left. What is missing of them since was spent. */
  readonly balances: Balances;
  /** Invoice of the allowance in the balances; null when there is none. */
  readonly grant: string | null;
  /** Allowance credits spent, by the invoice that granted them. */
  readonly spentOfGrants: Readonly<Record<string, number>>;
  readonly spentOfLots: SpentOfLots;
}

export const EMPTY_BOOKS: Books = {
  balances: NO_CREDITS,
  grant: null,
  spentOfGrants: {},
  spentOfLots: {},
};

/** Books what was spent since the last event, from the facts as that event left them. */
export function bookSpending(books: Books, facts: Facts, now: Balances): Books {
  const fromAllowance = Math.max(0, books.balances.allowance - now.allowance);
  const fromPacks = Math.max(0, books.balances.packs - now.packs);
  return {
    ...books,
    balances: now,
    spentOfGrants: bookAllowance(books, fromAllowance),
    spentOfLots: drawFromLots(lotsOf(facts), books.spentOfLots, fromPacks),
  };
}

function bookAllowance(books: Books, spent: number): Books['spentOfGrants'] {
  if (books.grant === null || spent === 0) return books.spentOfGrants;
  return { ...books.spentOfGrants, [books.grant]: (books.spentOfGrants[books.grant] ?? 0) + spent };
}

/** The balances that the facts and the spending so far leave, and the books that go with them. */
export function balanceBooks(books: Books, facts: Facts, now: Millis): Books {
  const grant = currentGrant(facts, now);
  const spent = grant === null ? 0 : (books.spentOfGrants[grant.invoice] ?? 0);
  const allowance = Math.max(0, allowanceOf(facts, now) - spent);
  return {
    // What a later build adds here is not this one's to drop.
    ...books,
    balances: { allowance, packs: totalOfLots(lotsOf(facts), books.spentOfLots) },
    grant: grant?.invoice ?? null,
    spentOfGrants: onlyKnown(books.spentOfGrants, facts),
  };
}

/**
 * The allowance in force: the newest one that a live subscription stands behind. An invoice may arrive before
 * its subscription does, so one that is not known yet counts as live; one that ended never does. What was paid for a
 * period that is long over has lapsed.
 */
export function currentGrant(facts: Facts, now: Millis): AllowanceGrant | null {
  const live = Object.entries(facts.grants).flatMap(([subscription, grant]) =>
    // A plan without credits ends what its own subscription had, and says nothing of another's.
    grant.credits > 0 && isBacked(facts, subscription) && !isLapsed(grant, now) ? [grant] : [],
  );
  return live.reduce<AllowanceGrant | null>(
    (newest, grant) => (newest === null || compareGrants(grant, newest) > 0 ? grant : newest),
    null,
  );
}

/** The size of the allowance in force, less what a dispute of its payment takes; 0 where there is none. */
export function allowanceOf(facts: Facts, now: Millis): number {
  const grant = currentGrant(facts, now);
  if (grant === null) return 0;
  const known = facts.disputedInvoices[grant.invoice];
  if (known === undefined) return grant.credits;
  return grant.credits - takenWith(grant.credits, withheldBy(known.disputes), known.amount);
}

function isBacked(facts: Facts, subscription: string): boolean {
  const known = facts.subscriptions[subscription];
  if (known !== undefined) return !isTerminal(known.state) && isSold(known.state);
  if (subscription !== IMPORTED) return true;
  // Nobody knows which subscription an imported allowance came from: it goes with the first one that ends, for good.
  return !Object.values(facts.subscriptions).some(({ state }) => isTerminal(state) && hasRun(state));
}

/** An allowance that was replaced never comes back, so what was spent of it need not be kept. */
function onlyKnown(spent: Books['spentOfGrants'], facts: Facts): Books['spentOfGrants'] {
  const known = new Set(Object.values(facts.grants).map(({ invoice }) => invoice));
  return Object.fromEntries(Object.entries(spent).filter(([invoice]) => known.has(invoice)));
}
