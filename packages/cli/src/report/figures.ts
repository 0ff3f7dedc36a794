import type { Millis } from '@extension-billing/contract/customer';
import type { AnyEntry } from '@extension-billing/contract/ledger';
import type { Facts } from '../../../../functions/src/events/facts.ts';

/** What is counted for one day (UTC), or for all of them. Whole numbers; credits, where nothing else is said. */
export interface Figures {
  readonly grantedAllowance: number;
  readonly grantedPacks: number;
  /** Given by hand, less what was taken back by hand. */
  readonly givenByHand: number;
  readonly spent: number;
  /** Taken back with money that went back. */
  readonly clawedBack: number;
  /** Allowance that was left when a new one replaced it, or when its plan ended. */
  readonly expired: number;
  /** What no purchase and no spend explains: a refund that failed, an imported account, a correction. May be negative. */
  readonly adjusted: number;
  /** Credits that reservations put aside. */
  readonly held: number;
  /** Credits of reservations that were settled too late, and so freed themselves. */
  readonly lapsed: number;
  /** Spends that were granted. */
  readonly spends: number;
  /** Spends and reservations that the balance did not cover. */
  readonly refused: number;
  /** Packs that were paid for. */
  readonly packs: number;
  readonly lifetimes: number;
  /** Paid invoices of subscriptions, from the event markers: only as far back as those are kept. */
  readonly invoices: number;
  /** Refunds of packs and lifetime plans. */
  readonly refunds: number;
  /** The money of these refunds, in minor currency units. */
  readonly refundedAmount: number;
  readonly disputes: number;
}

export type Figure = keyof Figures;

export const NOTHING: Figures = {
  grantedAllowance: 0,
  grantedPacks: 0,
  givenByHand: 0,
  spent: 0,
  clawedBack: 0,
  expired: 0,
  adjusted: 0,
  held: 0,
  lapsed: 0,
  spends: 0,
  refused: 0,
  packs: 0,
  lifetimes: 0,
  invoices: 0,
  refunds: 0,
  refundedAmount: 0,
  disputes: 0,
};

export function add(to: Figures, more: Partial<Figures>): Figures {
  const sums = (Object.keys(NOTHING) as Figure[]).map((figure) => [figure, to[figure] + (more[figure] ?? 0)]);
  return Object.fromEntries(sums) as unknown as Figures;
}

/** By how much the credits of all accounts changed: what the ledger's deltas add up to. */
export function netOf(figures: Figures): number {
  const { grantedAllowance, grantedPacks, givenByHand, adjusted, spent, clawedBack, expired } = figures;
  return grantedAllowance + grantedPacks + givenByHand + adjusted - spent - clawedBack - expired;
}

/** What a report needs of a ledger entry. */
export type ReportedEntry = Pick<
  AnyEntry,
  | 'kind'
  | 'feature'
  | 'cost'
  | 'outcome'
  | 'deltaAllowance'
  | 'deltaPack'
  | 'allowance'
  | 'createdAt'
  | 'granted'
  | 'byHand'
>;

/** Figures of one moment. */
export interface DatedFigures {
  readonly at: Millis;
  readonly figures: Partial<Figures>;
}

/**
 * What one ledger entry adds. Whatever its kind, the figures move the net by just its deltas (`netOf`), so a report
 * adds up to the ledger also where a newer service has written kinds that are not known here.
 */
export function datedFigures(entry: ReportedEntry): DatedFigures {
  return { at: entry.createdAt, figures: figuresOf(entry) };
}

function figuresOf(entry: ReportedEntry): Partial<Figures> {
  const { kind, cost, outcome, deltaAllowance, deltaPack, allowance, granted, byHand } = entry;
  if (byHand && (kind === 'grant' || kind === 'clawback')) {
    return { givenByHand: deltaPack, adjusted: deltaAllowance };
  }
  const isRefused = outcome === 'exhausted';
  switch (kind) {
    case 'consume':
    case 'confirm':
      return isRefused ? { refused: 1 } : { spends: 1, spent: less(deltaAllowance + deltaPack) };
    case 'reserve':
      return isRefused ? { refused: 1 } : { held: cost };
    case 'expiry':
      return { lapsed: cost };
    case 'release':
      return {};
    case 'grant':
      return { packs: 1, grantedPacks: deltaPack, adjusted: deltaAllowance };
    case 'allowance':
      // Replaced, never stacked: what was left of the one before it expires in the same entry.
      return { grantedAllowance: allowance, expired: allowance - deltaAllowance, adjusted: deltaPack };
    case 'drop':
      return { expired: less(deltaAllowance), adjusted: deltaPack };
    case 'period':
      return { grantedAllowance: granted, expired: granted - deltaAllowance - deltaPack };
    case 'clawback':
      return { clawedBack: less(deltaPack), adjusted: deltaAllowance };
    case 'restore':
    case 'correction':
    case 'opening':
      return { adjusted: deltaAllowance + deltaPack };
    default:
      kind satisfies never;
      return { adjusted: deltaAllowance + deltaPack };
  }
}

/** What a user's facts add that the ledger does not have: lifetime plans, and money that went back. */
export function* figuresOfFacts(facts: Facts): Generator<DatedFigures> {
  for (const { disputes } of Object.values(facts.disputedInvoices)) {
    for (const { openedAt } of Object.values(disputes)) yield { at: openedAt, figures: { disputes: 1 } };
  }
  for (const purchase of Object.values(facts.purchases)) {
    if (purchase.product === 'lifetime' && purchase.paidAt !== null) {
      yield { at: purchase.paidAt, figures: { lifetimes: 1 } };
    }
    for (const { openedAt } of Object.values(purchase.disputes)) {
      yield { at: openedAt, figures: { disputes: 1 } };
    }
    let before = 0;
    // Levels, not amounts: each refund is what a level adds to the one before it.
    for (const { at, refunded } of Object.values(purchase.refunds).toSorted(
      (a, b) => a.refunded - b.refunded,
    )) {
      if (refunded > before) yield { at, figures: { refunds: 1, refundedAmount: refunded - before } };
      before = Math.max(before, refunded);
    }
  }
}

/** The other way round, and never -0. */
function less(delta: number): number {
  return 0 - delta;
}
