import type { Millis } from '@extension-billing/contract/customer';
import type { Upgrade } from '../stripe/facts.ts';

/**
 * What is known of one dispute. Open or lost it keeps the disputed part of the money from the seller, won it gives it
 * back (docs/decisions/refunds-and-disputes.md#disputes).
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

/** What is known of a subscription's invoice whose payment was disputed. */
export interface DisputedInvoice {
  readonly subscription: string;
  /** Minor currency units that were charged. */
  readonly amount: number;
  readonly disputes: Disputes;
  /** If it was paid for a change of plan within a period; absent in facts from before it was kept. */
  readonly upgrade?: Upgrade;
}

/** A change of plan whose payment a dispute keeps from the seller. */
export interface UndoneUpgrade {
  readonly before: Upgrade['before'];
  /** Minor currency units that were charged for it. */
  readonly amount: number;
  /** Of those, what disputes keep; infinite for all of it. */
  readonly withheld: number;
}

/** The parts of the facts that say which period of a subscription is paid for. */
interface Periods {
  readonly subscriptions: Readonly<Record<string, { readonly state: { readonly periodEnd: Millis | null } }>>;
  readonly grants: Readonly<Record<string, { readonly periodEnd?: Millis | null }>>;
  readonly disputedInvoices: Readonly<Record<string, DisputedInvoice>>;
}

/**
 * The first change of plan, in the period that is paid for, whose payment a dispute keeps: those after it were charged on
 * top of what was not paid. Null if there is none; a later period that is paid has the plan that runs then.
 */
export function undoneUpgrade(
  { subscriptions, grants, disputedInvoices }: Periods,
  subscription: string,
): UndoneUpgrade | null {
  const until = grants[subscription]?.periodEnd ?? subscriptions[subscription]?.state.periodEnd ?? null;
  const undone = Object.entries(disputedInvoices).flatMap(([invoice, { upgrade, amount, ...disputed }]) => {
    const withheld = withheldBy(disputed.disputes);
    const isOfPeriod = disputed.subscription === subscription && upgrade?.until === until;
    if (upgrade === undefined || !isOfPeriod || withheld === 0) return [];
    return [{ invoice, at: upgrade.at, before: upgrade.before, amount, withheld }];
  });
  const [first] = undone.sort((a, b) => a.at - b.at || (a.invoice < b.invoice ? -1 : 1));
  return first ?? null;
}

/** Whether a dispute keeps all that was paid for it. */
export function isUndone({ amount, withheld }: UndoneUpgrade): boolean {
  return withheld >= amount;
}
