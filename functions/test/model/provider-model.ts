import type { Stripe } from 'stripe';
import { eventObject } from './stripe-objects.ts';
import { subscriptionObject } from './stripe-subscriptions.ts';
import type { ImportTruth, PurchaseTruth, SubscriptionTruth, Telling, UpgradeTruth } from './truth.ts';

/** One change at the provider and the event that reports it. */
export interface Change {
  /** Position in the provider's own order, from 0. */
  readonly seq: number;
  readonly at: number;
  readonly event: Stripe.Event;
  readonly telling: Telling;
}

export interface Sale {
  readonly truth: PurchaseTruth;
  /** Null while a delayed payment is on its way, or when it failed. */
  readonly paid: boolean;
  /** Refunds by id, those that failed left out. */
  readonly refunds: readonly { readonly id: string; readonly amount: number }[];
  readonly dispute: DisputeState | null;
}

/** Minor units; an inquiry moves none of them. */
export interface DisputeState {
  readonly id: string;
  readonly outcome: 'inquiry' | 'open' | 'won' | 'lost' | 'closed';
  readonly disputed: number;
}

/** A subscription's invoice that was paid with money. */
export interface PaidInvoice {
  readonly id: string;
  readonly subscription: string;
  readonly customer: string;
  readonly amount: number;
  readonly upgrade: UpgradeTruth | null;
  readonly dispute: DisputeState | null;
}

export interface OpenInvoice {
  readonly invoice: string;
  readonly invoiceCreated: number;
  readonly periodStart: number;
  readonly periodEnd: number;
}

/**
 * The model starts on a whole second, so that "the same second" is what it says; and long after today, so that a service
 * with a real clock finds nothing over by the clock alone.
 */
const START = Date.UTC(2036, 0, 5, 12, 0, 0);

/** Unlike all others of this user, and not in their order. */
export const invoiceIdOf = (uid: string, number: number): string => `in_${uid}_${(number * 389) % 997}`;

/** What the provider holds about one customer, and every event it made. Played by `playHistory`. */
export class ProviderModel {
  readonly uid: string;
  readonly changes: Change[] = [];
  readonly subscriptions = new Map<string, SubscriptionTruth>();
  readonly openInvoices = new Map<string, readonly OpenInvoice[]>();
  /** Each paid invoice with all of its lines: an event carries ten. */
  readonly invoices = new Map<string, { readonly lines: { readonly data: readonly object[] } }>();
  /** Acts by hand that gave something, and were not taken back. */
  readonly given: string[] = [];
  readonly paidInvoices = new Map<string, PaidInvoice>();
  readonly sales = new Map<string, Sale>();
  /** Subscriptions that began before this service was told of anything, as they were then. */
  readonly before = new Map<string, SubscriptionTruth>();
  /** What the account had before the provider's first event of it here. */
  imported: ImportTruth | null = null;
  customer: string;
  now = START;
  #ids = 0;
  #customers = 1;

  constructor(uid: string) {
    this.uid = uid;
    this.customer = `cus_${uid}_1`;
  }

  /** An id of this customer's own: no two customers of a run share one. */
  id(prefix: string): string {
    this.#ids += 1;
    return `${prefix}_${this.uid}_${this.#ids}`;
  }

  /** The provider's ids are random: of two invoices within a second they say nothing of the order. */
  invoiceId(): string {
    this.#ids += 1;
    return invoiceIdOf(this.uid, this.#ids);
  }

  nextCustomer(): void {
    this.#customers += 1;
    this.customer = `cus_${this.uid}_${this.#customers}`;
  }

  /** All of them, those that were deleted too. */
  get customers(): readonly string[] {
    return Array.from({ length: this.#customers }, (_, index) => `cus_${this.uid}_${index + 1}`);
  }

  /** Reports a change. Milliseconds pass, so that most reports of one action share a second and some do not. */
  report(type: string, object: object, telling: Telling): void {
    const event = eventObject(
      `evt_${this.uid}_${this.changes.length}`,
      type,
      this.now,
      structuredClone(object),
    );
    this.changes.push({ seq: this.changes.length, at: this.now, event, telling });
    this.now += 120;
  }

  /** Changes a subscription and reports it. */
  change(
    id: string,
    by: Partial<SubscriptionTruth>,
    type = 'customer.subscription.updated',
  ): SubscriptionTruth {
    const before = this.subscriptions.get(id);
    if (before === undefined) throw new Error(`no subscription ${id}`);
    const state = { ...before, ...by };
    this.subscriptions.set(id, state);
    this.report(type, subscriptionObject(this.uid, state), { tells: 'subscription', state });
    return state;
  }

  sale(id: string, by: Partial<Sale>): void {
    const before = this.sales.get(id);
    if (before === undefined) throw new Error(`no sale ${id}`);
    this.sales.set(id, { ...before, ...by });
  }

  /** The subscription as a GET would have answered right after change `seq`; undefined before it existed. */
  subscriptionAt(id: string, seq: number): SubscriptionTruth | undefined {
    for (let index = Math.min(seq, this.changes.length - 1); index >= 0; index -= 1) {
      const telling = this.changes[index]?.telling;
      if (telling?.tells === 'subscription' && telling.state.id === id) return telling.state;
    }
    return this.before.get(id);
  }
}
