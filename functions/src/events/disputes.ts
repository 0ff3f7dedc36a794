import type { Millis } from '@extension-billing/contract/customer';

/**
 * What is known of one dispute. Open or lost it keeps the disputed part of the money from the seller, won it gives it
 * back (docs/decisions/0102-disputes.md).
 */
interface Dispute {
  readonly openedAt: Millis;
  readonly closedAt: Millis | null;
  readonly won: boolean;
  /** Minor currency units that are disputed; null, and absent in facts from before it was kept, for all of them. */
  readonly disputed?: number | null;
}

export type Disputes = Readonly<Record<string, Dispute>>;

/** What one event says of a dispute. */
export interface DisputeReport {
  readonly dispute: string;
  readonly outcome: 'open' | 'won' | 'lost';
  /** Minor currency units; null where it does not say. */
  readonly disputed: number | null;
  readonly at: Millis;
}

/** Adds what an event says. A win beats everything: whichever comes first, any order ends the same. */
export function withDispute(before: Disputes, report: DisputeReport): Disputes {
  return { ...before, [report.dispute]: merged(before[report.dispute], report) };
}

function merged(before: Dispute | undefined, { outcome, disputed: said, at }: DisputeReport): Dispute {
  const openedAt = Math.min(before?.openedAt ?? at, at);
  const disputed = before?.disputed == null ? said : Math.max(before.disputed, said ?? 0);
  if (outcome === 'open') return { closedAt: null, won: false, ...before, openedAt, disputed };
  const closedAt = Math.min(before?.closedAt ?? at, at);
  return { openedAt, closedAt, won: outcome === 'won' || before?.won === true, disputed };
}

/**
 * How much of `amount` disputes keep from the seller at the moment; all of it, as infinity, where one does not say how
 * much it is about.
 */
export function withheldBy(disputes: Disputes): number {
  return Object.values(disputes)
    .filter(({ won }) => !won)
    .reduce((sum, { disputed }) => sum + (disputed ?? Number.POSITIVE_INFINITY), 0);
}

/** Credits that go back with the disputed part of the money, of those that came with it; whole ones. */
export function takenWith(credits: number, back: number, amount: number | null): number {
  if (back === Number.POSITIVE_INFINITY) return credits;
  if (amount === null || amount <= 0) return back > 0 ? credits : 0;
  return Math.floor((credits * Math.min(back, amount)) / amount);
}
