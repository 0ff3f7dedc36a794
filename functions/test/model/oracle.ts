import { LEGACY_LIFETIME_PLAN, type PlannedChange, type Renewal } from '@extension-billing/contract/customer';
import { HandBook } from './by-hand.ts';
import { MODEL_PLANS } from './catalog.ts';
import { plannedIn, plannedOf, renewalOf } from './change-oracle.ts';
import {
  type AskedEnd,
  type Asker,
  type ExpectedEnd,
  type ExpectedReserve,
  HoldBook,
} from './credit-oracle.ts';
import { LotPool } from './pack-lots.ts';
import { heldBy, inSeconds, preferred } from './rights-oracle.ts';
import type { GrantTruth, ImportTruth, PurchaseTruth, SubscriptionTruth, Telling } from './truth.ts';

/** What the record of a customer must say. Null credits: credits are not in use. */
export interface Expected {
  readonly paid: boolean;
  readonly plan: string | null;
  readonly planKind: 'subscription' | 'lifetime' | null;
  /** Sorted, with all that each includes. */
  readonly entitlements: readonly string[];
  /** Of those that a bound ends, sorted by name. */
  readonly entitlementsUntil: readonly (readonly [string, number])[];
  readonly status: string | null;
  readonly cancelAtPeriodEnd: boolean;
  readonly currentPeriodEnd: number | null;
  readonly entitledUntil: number | null;
  readonly trialUsed: boolean;
  readonly renewal: Renewal | null;
  readonly plannedChange: PlannedChange | null;
  readonly credits: { readonly allowance: number; readonly packs: number } | null;
}

export interface ExpectedConsume {
  readonly outcome: 'free' | 'granted' | 'exhausted';
  readonly fromAllowance: number;
  readonly fromPacks: number;
}

interface Known {
  readonly seq: number;
  readonly state: SubscriptionTruth;
}

const SERVED = new Set(['active', 'trialing']);
const PAYING = new Set(['active', 'trialing', 'past_due']);
const DAY = 86_400_000;
const NEVER_BEGAN = new Set(['incomplete', 'incomplete_expired']);
const IMPORTED = 'imported';
const OVER = new Set(['canceled', 'incomplete_expired']);

type InvoiceDispute = Extract<Telling, { tells: 'invoice_dispute' }>;
type Rights = Omit<Expected, 'trialUsed' | 'credits'>;
const NO_RIGHTS: Rights = {
  paid: false,
  plan: null,
  planKind: null,
  entitlements: [],
  entitlementsUntil: [],
  status: null,
  cancelAtPeriodEnd: false,
  currentPeriodEnd: null,
  entitledUntil: null,
  renewal: null,
  plannedChange: null,
};

/**
 * What the service must know and answer, from the model's own truth: written from design section 5 alone and
 * sharing no code with it. It is told changes in any order, knows their true order by `seq`, and so needs none
 * of the rules by which the service finds that order.
 */
export class Oracle {
  readonly #subscriptions = new Map<string, Known>();
  readonly #grants = new Map<string, GrantTruth>();
  /** The most that a subscription's plans bring, by subscription and period. */
  readonly #ran = new Map<string, Map<string, number>>();
  readonly #spentOfGrant = new Map<string, number>();
  readonly #lots = new LotPool();
  readonly #hands = new HandBook();
  /** With the second that each was paid in, as its earliest event says. */
  readonly #lifetimes = new Map<string, { readonly purchase: PurchaseTruth; readonly at: number }>();
  readonly #outcomes = new Map<string, ExpectedConsume>();
  readonly #holds = new HoldBook();
  /** What subscriptions change to, as the provider said last. */
  readonly #planned = new Map<string, PlannedChange | null>();
  readonly #disputed = new Map<string, { seq: number; telling: InvoiceDispute }>();
  readonly #imported: ImportTruth | null;
  #everTrialed: boolean;
  #now = 0;
  /** Whether anything was told: until then the record is as whoever imported it wrote it. */
  #isOpen = false;

  constructor(imported: ImportTruth | null = null) {
    this.#imported = imported;
    this.#everTrialed = imported?.trialUsed === true;
    const { credits = null, customer = '' } = imported ?? {};
    if (credits === null) return;
    const { granted, allowance, packs } = credits;
    const grant = {
      subscription: IMPORTED,
      invoice: IMPORTED,
      periodStart: 0,
      invoiceCreated: 0,
      first: true,
    };
    const periodEnd = imported?.currentPeriodEnd ?? null;
    this.#grants.set(IMPORTED, { ...grant, periodEnd, paid: 0, credits: granted });
    this.#spentOfGrant.set(IMPORTED, granted - allowance);
    const lot = {
      id: IMPORTED,
      customer,
      kind: 'pack' as const,
      lookupKey: '',
      grants: [],
      amount: 0,
      paidAt: 0,
    };
    this.#lots.paid({ ...lot, credits: packs }, 0);
  }

  /**
   * One change became known. Telling it again changes nothing.
   *
   * @param created what the event is stamped with, in seconds: of two packs the earlier one is spent first
   */
  tell(seq: number, telling: Telling, created: number): void {
    this.#isOpen ||= telling.tells !== 'nothing';
    switch (telling.tells) {
      case 'subscription': {
        this.#everTrialed ||= telling.state.trialEnd !== null;
        this.#ranOn(telling.state);
        const known = this.#subscriptions.get(telling.state.id);
        if (known === undefined || known.seq < seq) {
          this.#subscriptions.set(telling.state.id, { seq, state: telling.state });
        }
        return;
      }
      case 'grant':
        this.#grants.set(telling.grant.invoice, telling.grant);
        return;
      case 'paid':
        if (telling.purchase.kind === 'lifetime') this.#boughtForGood(telling.purchase, created);
        else this.#lots.paid(telling.purchase, created);
        return;
      case 'money_back':
        this.#lots.moneyBack(telling.purchase.id, seq, telling.back, created);
        return;
      case 'refund_failed':
        this.#lots.refundFailed(telling.purchase.id, seq, telling.amount);
        return;
      case 'dispute':
        this.#lots.disputed(telling.purchase.id, seq, telling.outcome, telling.disputed, created);
        return;
      case 'invoice_dispute':
        if (seq > (this.#disputed.get(telling.invoice)?.seq ?? -1))
          this.#disputed.set(telling.invoice, { seq, telling });
        return;
      case 'schedule':
        this.planned(telling.state);
        return;
      case 'hand_granted':
      case 'hand_revoked':
        this.#hands.tell(telling, created, this.#lots);
        return;
      case 'customer_deleted':
      case 'customer':
      case 'nothing':
        return;
      default:
        telling satisfies never;
    }
  }

  /** The provider was asked what a subscription changes to, when it stood like this. */
  planned(state: SubscriptionTruth): void {
    this.#planned.set(state.id, plannedIn(state));
  }

  /**
   * The provider was asked because two states had no order, the later of them `seq`. Its answer comes after
   * both; what else it comes after, nobody can tell from it, unless it is an end, after which nothing comes.
   */
  answered(seq: number, state: SubscriptionTruth): void {
    this.#ranOn(state);
    const isEnd = OVER.has(state.status);
    const latest = Math.max(seq, this.#subscriptions.get(state.id)?.seq ?? 0);
    this.#subscriptions.set(state.id, { seq: isEnd ? Number.POSITIVE_INFINITY : latest + 1e-6, state });
  }

  /** Spends what is there and not held: the allowance first. A key that was used before answers as it did then. */
  consume(key: string, cost: number, now = 0): ExpectedConsume {
    this.#now = now;
    const before = this.#outcomes.get(key);
    if (before !== undefined) return before;
    const owned = this.#owned();
    if (owned === null) return { outcome: 'free', fromAllowance: 0, fromPacks: 0 };
    const isThere = owned - this.#holds.heldAt(now) >= cost;
    const outcome: ExpectedConsume = isThere
      ? { outcome: 'granted', ...this.#take(cost) }
      : { outcome: 'exhausted', fromAllowance: 0, fromPacks: 0 };
    this.#outcomes.set(key, outcome);
    return outcome;
  }

  /** As much time passed as the store keeps a refusal: its key is decided anew. What moved credits is never forgotten. */
  forgetRefusals(): void {
    for (const [key, { outcome }] of this.#outcomes) if (outcome === 'exhausted') this.#outcomes.delete(key);
    this.#holds.forgetRefusals();
  }

  /** The entry of a request was rolled into a page: its key is new again. */
  forgetEntry(id: string): void {
    const key = id.slice(id.indexOf('_') + 1);
    if (id.startsWith('consume_')) this.#outcomes.delete(key);
    else this.#holds.forget(key);
  }

  reserve(key: string, cost: number, lifetime: number, now: number, by: Asker): ExpectedReserve {
    this.#now = now;
    return this.#holds.reserve(key, cost, lifetime, this.#owned(), now, by);
  }

  /** A confirm takes what was held as far as it is still owned. */
  settle(reservation: string, asked: AskedEnd, now: number): ExpectedEnd {
    this.#now = now;
    return this.#holds.settle(reservation, asked, this.#owned(), now, (held) => {
      this.#take(Math.min(held, this.#owned() ?? 0));
    });
  }

  /** What is held at this time, by reservation. */
  holdsAt(now: number): ReadonlyMap<string, number> {
    return this.#holds.openAt(now);
  }

  /** What can be spent at this time; null for an account without credits. */
  spendableAt(now: number): number | null {
    this.#now = now;
    const owned = this.#owned();
    return owned === null ? null : Math.max(0, owned - this.#holds.heldAt(now));
  }

  #boughtForGood(purchase: PurchaseTruth, created: number): void {
    const at = Math.min(created, this.#lifetimes.get(purchase.id)?.at ?? created);
    this.#lifetimes.set(purchase.id, { purchase, at });
  }

  #owned(): number | null {
    const credits = this.#credits();
    return credits === null ? null : credits.allowance + credits.packs;
  }

  #take(cost: number): Pick<ExpectedConsume, 'fromAllowance' | 'fromPacks'> {
    const fromAllowance = Math.min(this.#credits()?.allowance ?? 0, cost);
    const fromPacks = cost - fromAllowance;
    const grant = this.#currentGrant();
    if (grant !== null) {
      const spent = this.#spentOfGrant.get(grant.invoice) ?? 0;
      this.#spentOfGrant.set(grant.invoice, spent + fromAllowance);
    }
    this.#lots.spend(fromPacks);
    return { fromAllowance, fromPacks };
  }

  expected(now = 0): Expected {
    this.#now = now;
    return {
      ...this.#rights(),
      trialUsed: this.#everTrialed,
      credits: this.#credits(),
    };
  }

  #rights(): Rights {
    const states = [...this.#subscriptions.values()].map(({ state }) => state);
    const lifetimes = [...this.#lifetimes.values()].filter(
      ({ purchase }) => !this.#lots.isFullyBack(purchase),
    );
    const imported = this.#imported?.plan === null ? null : this.#imported;
    const isForGood = imported?.plan === LEGACY_LIFETIME_PLAN;
    const isBelieved = imported !== null && !isForGood && this.#knowsNoneOf(states);
    if (!this.#isOpen && imported !== null) {
      // As it was written elsewhere: with no bound, and no word on what kind of plan it is.
      const { plan, grants, currentPeriodEnd } = imported;
      const until = currentPeriodEnd === null ? null : inSeconds(currentPeriodEnd) * 1000;
      const shown = { plan, status: 'active', currentPeriodEnd: until };
      return { ...NO_RIGHTS, ...shown, paid: true, entitlements: grants };
    }
    const forGood = { until: Number.POSITIVE_INFINITY };
    const held = heldBy(this.#now, [
      ...lifetimes.map(({ purchase: { grants } }) => ({ ...forGood, grants })),
      ...this.#hands.held(),
      ...(isForGood ? [{ ...forGood, grants: imported.grants }] : []),
      ...(isBelieved ? [{ until: importedUntil(imported), grants: imported.grants }] : []),
      ...states
        .filter(({ id, status }) => PAYING.has(status) && this.#goneOf(this.#newestOf(id)) < 1)
        .map((state) => ({ until: this.#untilOf(state), grants: MODEL_PLANS[state.plan].grants })),
    ]);
    return {
      ...NO_RIGHTS,
      ...this.#shown(states, lifetimes, isBelieved && importedUntil(imported) > this.#now),
      ...held,
    };
  }

  /** The plan that is shown: one for good, of those the last, before any that ends. */
  #shown(
    states: readonly SubscriptionTruth[],
    lifetimes: readonly { readonly purchase: PurchaseTruth; readonly at: number }[],
    isImportHeld: boolean,
  ): Partial<Rights> {
    const [last] = lifetimes.toSorted((a, b) => b.at - a.at || (a.purchase.id < b.purchase.id ? -1 : 1));
    const owned = last?.purchase.lookupKey;
    const { plan = null, currentPeriodEnd = null } = this.#imported ?? {};
    if (owned !== undefined) return { plan: owned, planKind: 'lifetime', status: 'active' };
    if (plan === LEGACY_LIFETIME_PLAN) return { plan, planKind: 'lifetime', status: 'active' };
    if (this.#imported !== null && this.#knowsNoneOf(states)) {
      const until = currentPeriodEnd === null ? null : inSeconds(currentPeriodEnd) * 1000;
      if (plan === null) return {};
      // Past its date it stands in the way of no purchase.
      if (isImportHeld) return { plan, planKind: 'subscription', status: 'active', currentPeriodEnd: until };
    }
    const live = states.filter(({ status }) => !OVER.has(status));
    const shown = live.reduce<SubscriptionTruth | null>(preferred, null);
    if (shown === null)
      return { status: states.reduce<SubscriptionTruth | null>(preferred, null)?.status ?? null };
    return {
      plan: shown.plan,
      planKind: 'subscription',
      status: shown.status,
      cancelAtPeriodEnd: shown.cancel !== 'no',
      currentPeriodEnd: inSeconds(shown.periodEnd) * 1000,
      renewal: renewalOf(shown),
      plannedChange: plannedOf(shown, this.#planned.get(shown.id) ?? null),
    };
  }

  /** How long a paying subscription is believed: written from decision 0103 alone. */
  #untilOf({ id, status, periodStart, periodEnd, pause }: SubscriptionTruth): number {
    const ms = (time: number) => inSeconds(time) * 1000;
    const newest = this.#newestOf(id);
    const paidUpTo = ms(newest?.periodEnd ?? periodStart);
    if (pause !== null) {
      if (pause.behavior === 'void') return paidUpTo;
      const resumed = pause.resumesAt === null ? 0 : ms(pause.resumesAt) + 7 * DAY;
      return Math.max(paidUpTo + 30 * DAY, resumed);
    }
    if (status !== 'past_due') return ms(periodEnd) + 7 * DAY;
    const grants = [...this.#grants.values()].filter(({ subscription }) => subscription === id);
    const everPaid = grants.some(({ paid }) => paid > 0);
    const paidElsewhere = grants.length === 0 && this.#imported !== null && this.#imported.plan !== null;
    return paidUpTo + (everPaid || paidElsewhere ? 30 : 3) * DAY;
  }

  /** Nothing is known of the subscription behind an imported plan; one that never began says nothing of it. */
  #knowsNoneOf(states: readonly SubscriptionTruth[]): boolean {
    const begun = states.filter(({ status }) => !NEVER_BEGAN.has(status));
    return states.length === 0 || (this.#imported?.plan !== null && begun.length === 0);
  }

  /** A period in which a plan ran that was paid for, or on trial: written from decision 0192 alone. */
  #ranOn({ id, plan, quantity, status, periodStart, periodEnd }: SubscriptionTruth): void {
    const credits = MODEL_PLANS[plan].monthlyCredits * quantity;
    if (!SERVED.has(status) || credits === 0) return;
    const periods = this.#ran.get(id) ?? new Map<string, number>();
    const period = periodOf(periodStart, periodEnd);
    periods.set(period, Math.max(credits, periods.get(period) ?? 0));
    this.#ran.set(id, periods);
  }

  /** What an invoice brought, or a dearer plan of its own period while that is paid for. */
  #worthOf({ subscription, periodStart, periodEnd, credits }: GrantTruth): number {
    const status = this.#subscriptions.get(subscription)?.state.status ?? '';
    const dearer = this.#ran.get(subscription)?.get(periodOf(periodStart, periodEnd)) ?? 0;
    return SERVED.has(status) ? Math.max(credits, dearer) : credits;
  }

  #credits(): { allowance: number; packs: number } | null {
    const everGranted =
      this.#grants.has(IMPORTED) ||
      [...this.#grants.values()].some(
        ({ credits, subscription }) => credits > 0 || this.#ran.has(subscription),
      );
    if (!everGranted && this.#lots.isEmpty()) return null;
    const grant = this.#currentGrant();
    if (grant === null) return { allowance: 0, packs: this.#lots.total() };
    // Whole credits, whatever a share of thirds does to the last digit.
    const worth = this.#worthOf(grant);
    const taken = Math.floor(worth * this.#goneOf(grant) + 1e-9);
    const spent = this.#spentOfGrant.get(grant.invoice) ?? 0;
    return { allowance: Math.max(0, worth - taken - spent), packs: this.#lots.total() };
  }

  /** The share of an invoice's money that a dispute keeps from the seller. */
  #goneOf(grant: GrantTruth | null): number {
    const known = this.#disputed.get(grant?.invoice ?? '')?.telling;
    return known === undefined || known.outcome === 'won' ? 0 : known.disputed / known.amount;
  }

  /** The newest invoice of a subscription that was paid. */
  #newestOf(subscription: string): GrantTruth | null {
    let newest: GrantTruth | null = null;
    for (const grant of this.#grants.values()) {
      if (grant.subscription !== subscription) continue;
      if (newest === null || isNewer(grant, newest, Number(newest.first) - Number(grant.first)))
        newest = grant;
    }
    return newest;
  }

  /**
   * The newest allowance among the subscriptions that are alive; each subscription has only its newest. One
   * that is only known from its invoice counts as alive.
   */
  #currentGrant(): GrantTruth | null {
    const hasEnded = [...this.#subscriptions.values()].some(({ state }) => state.status === 'canceled');
    const live = [...this.#grants.values()].filter(({ subscription }) => {
      if (subscription === IMPORTED) return !hasEnded;
      const known = this.#subscriptions.get(subscription);
      return known === undefined || !OVER.has(known.state.status);
    });
    const newest = new Map<string, GrantTruth>();
    for (const grant of live) {
      const before = newest.get(grant.subscription);
      if (before === undefined || isNewer(grant, before, Number(before.first) - Number(grant.first)))
        newest.set(grant.subscription, grant);
    }
    let current: GrantTruth | null = null;
    for (const grant of newest.values()) {
      const { periodEnd } = grant;
      const isOver = periodEnd !== null && inSeconds(periodEnd) * 1000 + 30 * DAY <= this.#now;
      if (isOver && this.#isOpen) continue;
      // A plan without credits ends what its own subscription had, and says nothing about another's.
      if (this.#worthOf(grant) > 0 && (current === null || isNewer(grant, current))) current = grant;
    }
    return current;
  }
}

/** How long an imported plan is believed that nothing was heard of. */
const importedUntil = ({ currentPeriodEnd }: ImportTruth): number =>
  currentPeriodEnd === null ? Number.POSITIVE_INFINITY : inSeconds(currentPeriodEnd) * 1000 + 7 * DAY;

/** A period, to the second. */
const periodOf = (start: number, end: number | null) =>
  `${inSeconds(start)}_${end === null ? '' : inSeconds(end)}`;

/** @param order what decides between two of the same second, before their ids do */
function isNewer(a: GrantTruth, b: GrantTruth, order = 0): boolean {
  const started = inSeconds(a.periodStart) - inSeconds(b.periodStart);
  if (started !== 0) return started > 0;
  const created = inSeconds(a.invoiceCreated) - inSeconds(b.invoiceCreated);
  if (created !== 0) return created > 0;
  return order === 0 ? a.invoice > b.invoice : order > 0;
}
