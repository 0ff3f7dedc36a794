import { type Figure, type Figures, NOTHING } from '@extension-billing/contract/days';
import { dayOf } from '@extension-billing/contract/time';
import type { Facts } from '../events/facts.ts';
import { type DatedFigures, startOf } from './figures.ts';

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
      if (refunded > before) yield { at, figures: { refunds: 1 } };
      before = Math.max(before, refunded);
    }
  }
}

/** What of a user's facts is counted in the summaries, by day: the field `reported` of `billing_facts/{uid}`. */
export type Reported = Readonly<Record<string, Readonly<Partial<Figures>>>>;

const FIGURES = Object.keys(NOTHING) as readonly Figure[];

/** What is to be counted of a user's facts, from a day on. */
export function reportedOf(facts: Facts, since: string): Reported {
  const days: Record<string, Partial<Record<Figure, number>>> = {};
  for (const { at, figures } of figuresOfFacts(facts)) {
    const day = dayOf(at);
    if (day < since) continue;
    const sums = days[day] ?? {};
    days[day] = sums;
    for (const figure of FIGURES) {
      const more = figures[figure];
      if (more !== undefined) sums[figure] = (sums[figure] ?? 0) + more;
    }
  }
  return days;
}

/**
 * What is counted already, less or more, so that a look at any time makes the days what they should be: a refund may be
 * told of weeks after its day.
 */
export function lackingOf(wanted: Reported, counted: Reported): readonly DatedFigures[] {
  return [...new Set([...Object.keys(wanted), ...Object.keys(counted)])].flatMap((day) => {
    const figures: Partial<Record<Figure, number>> = {};
    for (const figure of FIGURES) {
      const lacking = (wanted[day]?.[figure] ?? 0) - (counted[day]?.[figure] ?? 0);
      if (lacking !== 0) figures[figure] = lacking;
    }
    return Object.keys(figures).length === 0 ? [] : [{ at: startOf(day), figures }];
  });
}
