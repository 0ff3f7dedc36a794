import { LEGACY_LIFETIME_PLAN, type PlannedChange, type Renewal } from '@extension-billing/contract/customer';
import { DAY } from '@extension-billing/contract/time';
import { type AllowanceAsked, AllowanceBook, IMPORTED, type Known } from './allowance-book.ts';
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
import type { ImportTruth, PurchaseTruth, SubscriptionTruth, Telling } from './truth.ts';

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

const PAYING = new Set(['active', 'trialing', 'past_due']);
const NEVER_BEGAN = new Set(['incomplete', 'incomplete_expired']);
const OVER = new Set(['canceled', 'incomplete_expired']);

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
  readonly #allowances = new AllowanceBook(this.#subscriptions);
  readonly #lots = new LotPool();
  readonly #hands = new HandBook();
  /** With the second that each was paid in, as its earliest event says. */
  readonly #lifetimes = new Map<string, { readonly purchase: PurchaseTruth; readonly at: number }>();
  readonly #outcomes = new Map<string, ExpectedConsume>();
  readonly #holds = new HoldBook();
  /** What subscriptions change to, as the provider said last. */
  readonly #planned = new Map<string, PlannedChange | null>();
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
    this.#allowances.imported(granted, granted - allowance, imported?.currentPeriodEnd ?? null);
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
        this.#allowances.ranOn(telling.state);
        const known = this.#subscriptions.get(telling.state.id);
        if (known === undefined || known.seq < seq) {
          this.#subscriptions.set(telling.state.id, { seq, state: telling.state });
        }
        return;
      }
      case 'grant':
        this.#allowances.granted(telling.grant);
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
        this.#allowances.disputed(seq, telling);
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
    this.#allowances.ranOn(state);
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

  /** The record was written with a time that is ahead. */
  ranAhead(at: number): void {
    this.#holds.ranAhead(at);
  }

  holdClockAt(now: number): number {
    return this.#holds.clockAt(now);
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
    this.#allowances.spend(fromAllowance, this.#at());
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
        .filter(({ id, status }) => PAYING.has(status) && this.#allowances.goneOf(id) < 1)
        .map((state) => ({
          until: this.#untilOf(state),
          grants: MODEL_PLANS[this.#allowances.wentBackTo(state) ?? state.plan].grants,
        })),
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
      plan: this.#allowances.wentBackTo(shown) ?? shown.plan,
      planKind: 'subscription',
      status: shown.status,
      cancelAtPeriodEnd: shown.cancel !== 'no',
      currentPeriodEnd: inSeconds(shown.periodEnd) * 1000,
      renewal: renewalOf(shown),
      plannedChange: plannedOf(shown, this.#planned.get(shown.id) ?? null),
    };
  }

  /** How long a paying subscription is believed: written from docs/decisions/entitlements.md alone. */
  #untilOf({ id, status, periodStart, periodEnd, pause }: SubscriptionTruth): number {
    const ms = (time: number) => inSeconds(time) * 1000;
    const newest = this.#allowances.newestOf(id);
    const paidUpTo = ms(newest?.periodEnd ?? periodStart);
    if (pause !== null) {
      if (pause.behavior === 'void') return paidUpTo;
      const resumed = pause.resumesAt === null ? 0 : ms(pause.resumesAt) + 7 * DAY;
      return Math.max(paidUpTo + 30 * DAY, resumed);
    }
    if (status !== 'past_due') return ms(periodEnd) + 7 * DAY;
    const grants = this.#allowances.grantsOf(id);
    const everPaid = grants.some(({ paid }) => paid > 0);
    const paidElsewhere = grants.length === 0 && this.#imported !== null && this.#imported.plan !== null;
    return paidUpTo + (everPaid || paidElsewhere ? 30 : 3) * DAY;
  }

  /** Nothing is known of the subscription behind an imported plan; one that never began says nothing of it. */
  #knowsNoneOf(states: readonly SubscriptionTruth[]): boolean {
    const begun = states.filter(({ status }) => !NEVER_BEGAN.has(status));
    return states.length === 0 || (this.#imported?.plan !== null && begun.length === 0);
  }

  #credits(): { allowance: number; packs: number } | null {
    if (!this.#allowances.hasGranted() && this.#lots.isEmpty()) return null;
    return { allowance: this.#allowances.left(this.#at()), packs: this.#lots.total() };
  }

  #at(): AllowanceAsked {
    return { now: this.#now, isOpen: this.#isOpen };
  }
}

/** How long an imported plan is believed that nothing was heard of. */
const importedUntil = ({ currentPeriodEnd }: ImportTruth): number =>
  currentPeriodEnd === null ? Number.POSITIVE_INFINITY : inSeconds(currentPeriodEnd) * 1000 + 7 * DAY;
