import type Stripe from 'stripe';
import { newId } from '../state/ids.ts';
import type { KeptDeliveries } from '../state/snapshot.ts';
import type { World } from '../state/world.ts';
import {
  DEFAULT_MODE,
  type DeliveryMode,
  EndpointQueues,
  IN_PARALLEL,
  postEvent,
  type QueuedDelivery,
  seededRandom,
} from './delivery.ts';

const ATTEMPT_TIMEOUT_MS = 30_000;

const wants = (endpoint: Stripe.WebhookEndpoint, type: string): boolean =>
  endpoint.status === 'enabled' &&
  endpoint.enabled_events.some((enabled) => enabled === '*' || enabled === type);

/**
 * Delivers events to the endpoints that want them, as the mode says. What fails is tried again later, after what came
 * behind it. At least once, never exactly once.
 */
export class Dispatcher {
  private readonly world: World;
  private mode: DeliveryMode = { ...DEFAULT_MODE };
  /** Who holds events back for as long as they are there, beside the mode. */
  private readonly holders = new Set<symbol>();
  private random = seededRandom(DEFAULT_MODE.seed);
  private all: QueuedDelivery[] = [];
  /** Others after a reset: what was on its way then is none of theirs. */
  private queues = this.openQueues();
  private readonly retries = new Map<QueuedDelivery, NodeJS.Timeout>();
  private idleWaiters: (() => void)[] = [];
  private flushing = 0;

  constructor(world: World) {
    this.world = world;
    world.onEvent = (event) => this.enqueue(event);
    world.onResend = (event, endpoint) => this.resend(event, endpoint);
  }

  deliveries(): readonly QueuedDelivery[] {
    return this.all;
  }

  currentMode(): DeliveryMode {
    return { ...this.mode };
  }

  /** Changes how events travel from now on; what is held stays held until a flush, or until hold is set off. */
  setMode(change: Partial<DeliveryMode>): DeliveryMode {
    this.mode = { ...this.mode, ...change };
    if (change.seed !== undefined || change.order !== undefined) this.random = seededRandom(this.mode.seed);
    if (change.hold === false) this.releaseUnlessHeld();
    return this.currentMode();
  }

  /** How many hold events back beside the mode. */
  holding(): number {
    return this.holders.size;
  }

  /**
   * Holds events back beside whatever the mode says, until the function that it answers is called. Nobody has to put
   * the mode back, so two at once, or one that is killed, leave it as it was.
   */
  hold(): () => void {
    const holder = Symbol();
    this.holders.add(holder);
    return () => {
      this.holders.delete(holder);
      this.releaseUnlessHeld();
    };
  }

  /** Queues an event for every endpoint that wants it, or for the one that is named. */
  enqueue(event: Stripe.Event): void {
    const endpoints = this.world.tables.webhook_endpoints.filter((endpoint) => wants(endpoint, event.type));
    event.pending_webhooks = endpoints.length;
    for (const endpoint of endpoints) {
      for (let copy = 0; copy < this.mode.copies; copy += 1) this.add(event, endpoint);
    }
  }

  /**
   * Sends an event once more, whatever became of it: to the endpoints that want it, or to the one named. Answers
   * how many endpoints it goes to.
   */
  resend(event: Stripe.Event, only: string | null = null): number {
    const endpoints = this.world.tables.webhook_endpoints.filter((endpoint) =>
      only === null ? wants(endpoint, event.type) : endpoint.id === only,
    );
    for (const endpoint of endpoints) this.add(event, endpoint, true);
    return endpoints.length;
  }

  /** Delivers everything that is held or waiting, without the waits between attempts; resolves when all is answered or given up. */
  async flush(): Promise<{ delivered: number; failed: number }> {
    const waiting = this.all.filter((row) => row.status === 'held' || row.status === 'pending');
    this.release();
    for (const [delivery, timer] of this.retries) {
      clearTimeout(timer);
      this.retries.delete(delivery);
      this.queues.push(delivery);
    }
    this.flushing += 1;
    try {
      await this.idle();
    } finally {
      this.flushing -= 1;
    }
    const count = (status: string) => waiting.filter((row) => row.status === status).length;
    return { delivered: count('delivered'), failed: count('failed') };
  }

  /** Resolves when nothing is queued, on its way or waiting to be tried again. What is held does not count. */
  idle(): Promise<void> {
    if (this.isIdle()) return Promise.resolve();
    return new Promise((resolve) => this.idleWaiters.push(resolve));
  }

  /** What is on its way or has been, to be kept in a file; who holds for a while is not kept, so what they hold is on its way. */
  kept(): KeptDeliveries {
    const all = this.all.map(({ payload: _payload, ...kept }) =>
      kept.status === 'held' && !this.mode.hold ? { ...kept, status: 'pending' as const } : kept,
    );
    return { mode: this.mode, all };
  }

  /** Takes up where a kept dispatcher was: what was on its way is delivered again, at least once as ever. */
  restore({ mode, all }: KeptDeliveries): void {
    this.reset();
    this.setMode(mode);
    for (const row of all) {
      const payload = this.world.tables.events.get(row.event);
      if (payload === undefined) continue;
      const delivery: QueuedDelivery = { ...row, payload };
      this.all.push(delivery);
      if (delivery.status === 'pending') this.queues.push(delivery);
    }
  }

  /** Forgets every delivery and goes back to the default mode. */
  reset(): void {
    for (const timer of this.retries.values()) clearTimeout(timer);
    this.retries.clear();
    this.queues.stop();
    this.queues = this.openQueues();
    this.all = [];
    this.mode = { ...DEFAULT_MODE };
    this.random = seededRandom(this.mode.seed);
    this.wake();
  }

  private add(event: Stripe.Event, endpoint: Stripe.WebhookEndpoint, resent = false): void {
    const { drop } = this.mode;
    const hold = this.mode.hold || this.holders.size > 0;
    const lost = !resent && (typeof drop === 'number' ? this.random() < drop : drop);
    const delivery: QueuedDelivery = {
      id: newId('whd'),
      event: event.id,
      type: event.type,
      endpoint: endpoint.id,
      url: endpoint.url,
      attempt: 0,
      status: lost ? 'dropped' : hold && !resent ? 'held' : 'pending',
      responseStatus: null,
      responseBody: null,
      at: null,
      payload: event,
    };
    this.all.push(delivery);
    if (delivery.status === 'pending') this.queues.push(delivery);
  }

  private releaseUnlessHeld(): void {
    if (!this.mode.hold && this.holders.size === 0) this.release();
  }

  private release(): void {
    for (const delivery of this.all) {
      if (delivery.status !== 'held') continue;
      delivery.status = 'pending';
      this.queues.push(delivery);
    }
  }

  private openQueues(): EndpointQueues {
    return new EndpointQueues({
      atOnce: () => (this.mode.order === 'second' ? IN_PARALLEL : 1),
      take: (queue) => this.take(queue),
      attempt: (delivery) => this.attempt(delivery),
      onRest: () => this.wake(),
    });
  }

  private take(queue: QueuedDelivery[]): QueuedDelivery | undefined {
    switch (this.mode.order) {
      case 'fifo':
        return queue.shift();
      case 'reverse':
        return queue.pop();
      case 'shuffle':
        return queue.splice(Math.floor(this.random() * queue.length), 1)[0];
      case 'second': {
        const oldest = queue.reduce((least, { payload }) => Math.min(least, payload.created), Infinity);
        const near = [...queue.keys()].filter((at) => (queue[at]?.payload.created ?? 0) <= oldest + 1);
        return queue.splice(near[Math.floor(this.random() * near.length)] ?? 0, 1)[0];
      }
      default:
        return this.mode.order satisfies never;
    }
  }

  private async attempt(delivery: QueuedDelivery): Promise<void> {
    const { queues } = this;
    const endpoint = this.world.tables.webhook_endpoints.get(delivery.endpoint);
    const secret = this.world.facts.endpointSecrets.get(delivery.endpoint);
    if (endpoint === undefined || secret === undefined) {
      this.note(delivery, 'failed', null, 'The endpoint was deleted.');
      return;
    }
    delivery.attempt += 1;
    // SDKs refuse an event of a version other than their own, so an endpoint gets the one it was created with.
    const event = { ...delivery.payload, api_version: endpoint.api_version ?? delivery.payload.api_version };
    const posted = await postEvent(endpoint.url, event, secret, ATTEMPT_TIMEOUT_MS);
    if (queues !== this.queues) return;
    if (posted.ok) {
      this.note(delivery, 'delivered', posted.status, posted.body);
      delivery.payload.pending_webhooks = Math.max(0, delivery.payload.pending_webhooks - 1);
      return;
    }
    const last = delivery.attempt >= this.mode.maxAttempts;
    this.note(delivery, last ? 'failed' : 'pending', posted.status, posted.body);
    if (!last) this.retryLater(delivery);
  }

  private retryLater(delivery: QueuedDelivery): void {
    const wait = this.flushing > 0 ? 0 : this.mode.retryDelayMs * 2 ** (delivery.attempt - 1);
    const timer = setTimeout(() => {
      this.retries.delete(delivery);
      this.queues.push(delivery);
    }, wait);
    timer.unref();
    this.retries.set(delivery, timer);
  }

  private note(
    delivery: QueuedDelivery,
    status: QueuedDelivery['status'],
    code: number | null,
    body: string | null,
  ): void {
    delivery.status = status;
    delivery.responseStatus = code;
    delivery.responseBody = body;
    delivery.at = Math.floor(Date.now() / 1000);
    this.world.revision += 1;
  }

  private isIdle(): boolean {
    return this.queues.areEmpty() && this.retries.size === 0;
  }

  private wake(): void {
    if (!this.isIdle()) return;
    const waiters = this.idleWaiters;
    this.idleWaiters = [];
    for (const resolve of waiters) resolve();
  }
}
