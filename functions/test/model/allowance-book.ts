import { DAY } from '@extension-billing/contract/time';
import { MODEL_PLANS, type PlanName } from './catalog.ts';
import { inSeconds } from './rights-oracle.ts';
import type { GrantTruth, SubscriptionTruth, Telling } from './truth.ts';

// What invoices brought, and what of it is left, from the model's own truth: the allowances of oracle.ts.

/** The invoice and subscription of what somebody had before an import. */
export const IMPORTED = 'imported';
const SERVED = new Set(['active', 'trialing']);
const OVER = new Set(['canceled', 'incomplete_expired']);

export interface Known {
  readonly seq: number;
  readonly state: SubscriptionTruth;
}

export interface AllowanceAsked {
  readonly now: number;
  /** Whether anything was told: until then an import stands as it is. */
  readonly isOpen: boolean;
}

type InvoiceDispute = Extract<Telling, { tells: 'invoice_dispute' }>;

export class AllowanceBook {
  readonly #subscriptions: ReadonlyMap<string, Known>;
  readonly #grants = new Map<string, GrantTruth>();
  /** The most that a subscription's plans bring, by subscription and period. */
  readonly #ran = new Map<string, Map<string, number>>();
  readonly #spentOf = new Map<string, number>();
  readonly #disputed = new Map<string, { seq: number; telling: InvoiceDispute }>();

  /** @param subscriptions as they are known at any time */
  constructor(subscriptions: ReadonlyMap<string, Known>) {
    this.#subscriptions = subscriptions;
  }

  imported(credits: number, spent: number, periodEnd: number | null): void {
    const began = { periodStart: 0, invoiceCreated: 0, first: true, changes: false, paid: 0 };
    this.granted({ subscription: IMPORTED, invoice: IMPORTED, ...began, periodEnd, credits });
    this.#spentOf.set(IMPORTED, spent);
  }

  granted(grant: GrantTruth): void {
    this.#grants.set(grant.invoice, grant);
  }

  disputed(seq: number, telling: InvoiceDispute): void {
    if (seq > (this.#disputed.get(telling.invoice)?.seq ?? -1))
      this.#disputed.set(telling.invoice, { seq, telling });
  }

  /** A period in which a plan ran, paid or on trial: written from docs/decisions/changes-of-plan.md alone. */
  ranOn({ id, plan, quantity, status, periodStart, periodEnd }: SubscriptionTruth): void {
    const credits = MODEL_PLANS[plan].monthlyCredits * quantity;
    if (!SERVED.has(status) || credits === 0) return;
    const periods = this.#ran.get(id) ?? new Map<string, number>();
    const period = periodOf(periodStart, periodEnd);
    periods.set(period, Math.max(credits, periods.get(period) ?? 0));
    this.#ran.set(id, periods);
  }

  hasGranted(): boolean {
    return [...this.#grants.values()].some(
      ({ invoice, credits, subscription }) =>
        invoice === IMPORTED || credits > 0 || this.#ran.has(subscription),
    );
  }

  grantsOf(subscription: string): readonly GrantTruth[] {
    return [...this.#grants.values()].filter((grant) => grant.subscription === subscription);
  }

  /** The newest invoice of a subscription that was paid. */
  newestOf(subscription: string): GrantTruth | null {
    return this.grantsOf(subscription).reduce<GrantTruth | null>(
      (newest, grant) => (newest === null || isNewer(grant, newest, orderOf(grant, newest)) ? grant : newest),
      null,
    );
  }

  /** The share of the money of a subscription's newest invoice that a dispute keeps from the seller. */
  goneOf(subscription: string): number {
    return this.#goneOf(this.newestOf(subscription));
  }

  /** The plan that is paid for, where a dispute keeps all that was paid to change from it; null for the one that runs. */
  wentBackTo({ id, periodEnd }: Pick<SubscriptionTruth, 'id' | 'periodEnd'>): PlanName | null {
    const undone = this.#undone(id, this.newestOf(id)?.periodEnd ?? periodEnd);
    return undone !== null && undone.share >= 1 ? undone.before.plan : null;
  }

  /** The period's earliest disputed change: written from docs/decisions/refunds-and-disputes.md alone. */
  #undone(subscription: string, until: number | null) {
    const all = [...this.#disputed].flatMap(([invoice, { telling }]) => {
      const { upgrade, outcome, disputed, amount } = telling;
      if (upgrade === null || upgrade.subscription !== subscription || outcome === 'won') return [];
      if (until === null || inSeconds(upgrade.until) !== inSeconds(until)) return [];
      return [{ invoice, at: inSeconds(upgrade.at), before: upgrade.before, share: disputed / amount }];
    });
    return all.sort((a, b) => a.at - b.at || (a.invoice < b.invoice ? -1 : 1))[0] ?? null;
  }

  left(asked: AllowanceAsked): number {
    const grant = this.#current(asked);
    if (grant === null) return 0;
    // Whole credits, whatever a share of thirds does to the last digit.
    const worth = this.#worthOf(grant);
    const taken = Math.floor(worth * this.#goneOf(grant) + 1e-9);
    return Math.max(0, worth - taken - (this.#spentOf.get(grant.invoice) ?? 0));
  }

  spend(credits: number, asked: AllowanceAsked): void {
    const grant = this.#current(asked);
    if (grant !== null) this.#spentOf.set(grant.invoice, (this.#spentOf.get(grant.invoice) ?? 0) + credits);
  }

  /** Of one invoice. */
  #goneOf(grant: GrantTruth | null): number {
    const known = this.#disputed.get(grant?.invoice ?? '')?.telling;
    return known === undefined || known.outcome === 'won' ? 0 : known.disputed / known.amount;
  }

  /** What an invoice brought, or a dearer plan of its own period while that is paid for. */
  #worthOf({ subscription, periodStart, periodEnd, credits }: GrantTruth): number {
    const status = this.#subscriptions.get(subscription)?.state.status ?? '';
    const dearer = this.#ran.get(subscription)?.get(periodOf(periodStart, periodEnd)) ?? 0;
    const worth = SERVED.has(status) ? Math.max(credits, dearer) : credits;
    const undone = this.#undone(subscription, periodEnd);
    if (undone === null) return worth;
    const { plan, quantity } = undone.before;
    const paid = Math.max(credits, MODEL_PLANS[plan].monthlyCredits * quantity);
    return worth <= paid ? worth : worth - Math.floor((worth - paid) * undone.share + 1e-9);
  }

  /**
   * The newest allowance among the subscriptions that are alive; each subscription has only its newest. One
   * that is only known from its invoice counts as alive.
   */
  #current({ now, isOpen }: AllowanceAsked): GrantTruth | null {
    const hasEnded = [...this.#subscriptions.values()].some(({ state }) => state.status === 'canceled');
    const live = [...this.#grants.values()].filter(({ subscription }) => {
      if (subscription === IMPORTED) return !hasEnded;
      const known = this.#subscriptions.get(subscription);
      return known === undefined || !OVER.has(known.state.status);
    });
    const newest = new Map<string, GrantTruth>();
    for (const grant of live) {
      const before = newest.get(grant.subscription);
      if (before === undefined || isNewer(grant, before, orderOf(grant, before)))
        newest.set(grant.subscription, grant);
    }
    let current: GrantTruth | null = null;
    for (const grant of newest.values()) {
      const { periodEnd } = grant;
      const isOver = periodEnd !== null && inSeconds(periodEnd) * 1000 + 30 * DAY <= now;
      if (isOver && isOpen) continue;
      // A plan without credits ends what its own subscription had, and says nothing about another's.
      if (this.#worthOf(grant) > 0 && (current === null || isNewer(grant, current))) current = grant;
    }
    return current;
  }
}

/** A period, to the second. */
const periodOf = (start: number, end: number | null) =>
  `${inSeconds(start)}_${end === null ? '' : inSeconds(end)}`;

/** Of two invoices of a subscription within a second: the first one, then one that renews, then changes, the larger last. */
const orderOf = (a: GrantTruth, b: GrantTruth): number =>
  Number(b.first) - Number(a.first) || Number(a.changes) - Number(b.changes) || a.credits - b.credits;

/** @param order what decides between two of the same second, before their ids do */
function isNewer(a: GrantTruth, b: GrantTruth, order = 0): boolean {
  const started = inSeconds(a.periodStart) - inSeconds(b.periodStart);
  if (started !== 0) return started > 0;
  const created = inSeconds(a.invoiceCreated) - inSeconds(b.invoiceCreated);
  if (created !== 0) return created > 0;
  return order === 0 ? a.invoice > b.invoice : order > 0;
}
