import type Stripe from 'stripe';
import { API_VERSION } from './api-version.ts';
import { Clock, type ClockScope } from './clock.ts';
import { difference } from './difference.ts';
import { newId } from './ids.ts';
import { createPrivateFacts, type PrivateFacts } from './private-facts.ts';
import { createTables, type Tables } from './tables.ts';

export interface DunningPolicy {
  /** Days after the failed attempt before it; one entry per retry. */
  retryDays: readonly number[];
  /** What becomes of the subscription after the last retry. */
  final: 'cancel' | 'unpaid' | 'past_due';
}

export interface WorldOptions {
  /** Origin of the hosted pages, known once the server listens. */
  baseUrl: string;
  /** Secret of every endpoint that is created; a fresh one each when null. */
  webhookSecret: string | null;
  dunning: DunningPolicy;
}

/** The call that is being answered: events made by it name it. */
export interface CurrentRequest {
  id: string;
  idempotencyKey: string | null;
}

export type EventType = Stripe.Event['type'];

/** One Stripe account: its objects, its clocks, and the events that its changes make. */
export class World {
  readonly tables: Tables = createTables();
  readonly facts: PrivateFacts = createPrivateFacts();
  readonly clock = new Clock(this.tables.test_clocks);
  readonly options: WorldOptions;
  request: CurrentRequest | null = null;
  /** Grows with every event and every delivery: what happens without being asked for shows in it. */
  revision = 0;
  /** Who is told of a new event: the webhook dispatcher. */
  onEvent: (event: Stripe.Event) => void = () => {};
  /** Who sends an event once more, to every endpoint or the one named by its id: the webhook dispatcher. */
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
