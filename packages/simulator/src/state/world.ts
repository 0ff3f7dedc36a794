import type Stripe from 'stripe';
import { newId } from './ids.ts';
import { createTables, type Table, type Tables } from './tables.ts';

/** Whose time: a test clock's id, or null for everything that hangs on none. */
export type ClockScope = string | null;

/**
 * The clocks in force, in whole seconds since 1970. Without a test clock, time is the machine's plus what
 * the whole world was advanced by; a test clock stands still until it is advanced.
 */
class Clock {
  private offset = 0;
  private pinned: { scope: ClockScope; at: number } | null = null;
  private readonly testClocks: Table<Stripe.TestHelpers.TestClock>;

  constructor(testClocks: Table<Stripe.TestHelpers.TestClock>) {
    this.testClocks = testClocks;
  }

  now(scope: ClockScope = null): number {
    if (this.pinned !== null && this.pinned.scope === scope) return this.pinned.at;
    return this.testClocks.get(scope)?.frozen_time ?? Math.floor(Date.now() / 1000) + this.offset;
  }

  /** Moves the world's time forward. */
  advance(seconds: number): void {
    this.offset += seconds;
  }

  /** Seconds that the world is ahead of the machine. */
  ahead(): number {
    return this.offset;
  }

  reset(): void {
    this.offset = 0;
  }

  /** Runs `work` as if it were `at` on that clock: a renewal that is billed late still happens on its day. */
  during<T>(scope: ClockScope, at: number, work: () => T): T {
    const before = this.pinned;
    this.pinned = { scope, at };
    try {
      return work();
    } finally {
      this.pinned = before;
    }
  }
}

type Json = string | number | boolean | null | undefined | Json[] | { [key: string]: Json };

const isMap = (value: Json): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * What `before` held where `after` differs: an event's `previous_attributes`. Maps are compared field by
 * field, lists as a whole; undefined when nothing differs.
 */
function difference(before: unknown, after: unknown): Record<string, unknown> | undefined {
  const found = compare(before as Json, after as Json);
  return found.changed && isMap(found.previous) ? found.previous : undefined;
}

function compare(before: Json, after: Json): { changed: boolean; previous: Json } {
  if (isMap(before) && isMap(after)) {
    const previous: { [key: string]: Json } = {};
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const inner = compare(before[key] ?? null, after[key] ?? null);
      if (inner.changed) previous[key] = inner.previous;
    }
    return { changed: Object.keys(previous).length > 0, previous };
  }
  const same = JSON.stringify(before) === JSON.stringify(after);
  return { changed: !same, previous: before };
}

/** A card as a page sends it. */
export interface CardTyped {
  /** Digits only. */
  number: string;
  email: string | null;
  name: string | null;
}

/** What a checkout session will make once it is paid; Stripe keeps it and does not show it. */
export interface SessionOrder {
  lines: { id: string; price: string; quantity: number }[];
  subscriptionData: Stripe.Checkout.SessionCreateParams.SubscriptionData;
  paymentIntentData: Stripe.Checkout.SessionCreateParams.PaymentIntentData;
}

/** What a price costs in one further currency. */
export interface CurrencyOption {
  /** Minor units of that currency. */
  unit_amount: number;
  tax_behavior: Stripe.Price.TaxBehavior;
}

/** What the simulator has to remember about objects beyond what Stripe shows of them. */
interface PrivateFacts {
  /** Card number by payment method: decides what a charge meets. */
  readonly cardNumbers: Map<string, string>;
  readonly sessionOrders: Map<string, SessionOrder>;
  /** What prices cost in further currencies, by price and currency; Stripe shows it only when asked. */
  readonly currencyOptions: Map<string, Record<string, CurrencyOption>>;
  /** Signing secret by webhook endpoint. */
  readonly endpointSecrets: Map<string, string>;
  /** Subscriptions whose trial's end has been announced. */
  readonly trialEndAnnounced: Set<string>;
  /** The period's end that `invoice.upcoming` has announced, by subscription. */
  readonly upcomingAnnounced: Map<string, number>;
  /** The card that waits for its customer's answer to 3-D Secure, by session. */
  readonly askedCards: Map<string, CardTyped>;
  /** Refunds that will turn out to have failed. */
  readonly failingRefunds: Set<string>;
  /** What the bank will decide of disputes whose evidence was submitted. */
  readonly disputeDecisions: Map<string, { status: 'won' | 'lost'; at: number }>;
  readonly deletedCustomers: Set<string>;
  /** Portal sessions whose flow was gone through to its end. */
  readonly finishedFlows: Set<string>;
  /** Invoice by the payment intent that pays it. */
  readonly invoiceOfIntent: Map<string, string>;
}

function createPrivateFacts(): PrivateFacts {
  return {
    cardNumbers: new Map(),
    sessionOrders: new Map(),
    currencyOptions: new Map(),
    endpointSecrets: new Map(),
    trialEndAnnounced: new Set(),
    upcomingAnnounced: new Map(),
    askedCards: new Map(),
    failingRefunds: new Set(),
    disputeDecisions: new Map(),
    deletedCustomers: new Set(),
    finishedFlows: new Set(),
    invoiceOfIntent: new Map(),
  };
}

/** The API version that stripe (Node) 23.1 pins, and that the simulator's objects have the shape of. */
export const API_VERSION = '2026-10-28.endive';

export interface DunningPolicy {
  /** Days after the failed attempt before it; one entry per retry. */
  retryDays: readonly number[];
  /** What becomes of the subscription after the last retry. */
  final: 'cancel' | 'unpaid' | 'past_due';
}

/** A price that a new account has, with a product of its own. */
export interface CatalogEntry {
  /** Also names the two: `price_<lookupKey>` of `prod_<lookupKey>`. */
  readonly lookupKey: string;
  readonly name: string;
  readonly description?: string;
  /** Minor currency units. */
  readonly amount: number;
  readonly currency: string;
  /** Amounts in further currencies, minor units: the price's `currency_options`. */
  readonly prices?: Readonly<Record<string, number>>;
  /** How often it is billed; null is paid once. */
  readonly interval: 'day' | 'week' | 'month' | 'year' | null;
  /** On the price and on the product. */
  readonly metadata?: Readonly<Record<string, string>>;
}

interface WorldOptions {
  /** What a new account sells, and what it sells again after a reset. */
  catalog: readonly CatalogEntry[];
  /** Whether the account's portal settings were saved once, as in the Dashboard. */
  hasPortal: boolean;
  /** What the account calls its business: the pages show it. */
  merchant: string;
  /** Origin of the hosted pages, known once the server listens. */
  baseUrl: string;
  /** Secret of every endpoint that is created; a fresh one each when null. */
  webhookSecret: string | null;
  dunning: DunningPolicy;
}

/** The call that is being answered: events made by it name it. */
interface CurrentRequest {
  id: string;
  idempotencyKey: string | null;
}

type EventType = Stripe.Event['type'];

/** One Stripe account: its objects, its clocks, and the events that its changes make. */
export class World {
  readonly tables: Tables = createTables();
  readonly facts: PrivateFacts = createPrivateFacts();
  readonly clock = new Clock(this.tables.test_clocks);
  readonly options: WorldOptions;
  request: CurrentRequest | null = null;
  /** Grows with every event and every delivery: what happens without being asked for shows in it. */
  revision = 0;
  /** Called with each new event: by the webhook dispatcher. */
  onEvent: (event: Stripe.Event) => void = () => {};
  /** Sends an event once more, to every endpoint or to the one with that id: set by the webhook dispatcher. */
  onResend: (event: Stripe.Event, endpoint: string | null) => void = () => {};

  constructor(options: WorldOptions) {
    this.options = options;
  }

  /** The clock that an object's customer hangs on. */
  scopeOf(customer: string | null): ClockScope {
    const clock = this.tables.customers.get(customer)?.test_clock ?? null;
    return typeof clock === 'string' ? clock : (clock?.id ?? null);
  }

  /** The time in force for a customer's objects, in seconds. */
  nowFor(customer: string | null): number {
    return this.clock.now(this.scopeOf(customer));
  }

  /** Records that something happened to `object`, as it is now, and hands the event on for delivery. */
  emit(
    type: EventType,
    object: { id: string },
    scope: ClockScope,
    previous?: Record<string, unknown>,
  ): Stripe.Event {
    const snapshot: unknown = JSON.parse(JSON.stringify(object));
    const event = {
      id: newId('evt'),
      object: 'event',
      api_version: API_VERSION,
      created: this.clock.now(scope),
      data: { object: snapshot, ...(previous === undefined ? {} : { previous_attributes: previous }) },
      livemode: false,
      pending_webhooks: 0,
      request: { id: this.request?.id ?? null, idempotency_key: this.request?.idempotencyKey ?? null },
      type,
    } as unknown as Stripe.Event;
    this.tables.events.insert(event);
    this.revision += 1;
    this.onEvent(event);
    return event;
  }

  /**
   * Changes an object and emits `type` with what it was before; silent when nothing changed. A change that is refused
   * on the way leaves it as it was.
   */
  change<T extends { id: string }>(
    type: EventType,
    object: T,
    scope: ClockScope,
    mutate: (object: T) => void,
  ): void {
    const before: T = structuredClone(object);
    try {
      mutate(object);
    } catch (refused) {
      for (const key of Object.keys(object))
        if (!Object.hasOwn(before, key)) Reflect.deleteProperty(object, key);
      Object.assign(object, before);
      throw refused;
    }
    const previous = difference(JSON.parse(JSON.stringify(before)), JSON.parse(JSON.stringify(object)));
    if (previous !== undefined) this.emit(type, object, scope, previous);
  }
}
