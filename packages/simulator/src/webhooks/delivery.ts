import { createHmac } from 'node:crypto';
import type Stripe from 'stripe';

type DeliveryStatus = 'pending' | 'held' | 'delivered' | 'failed' | 'dropped';

/** One event on its way to one endpoint; `GET /_sim/deliveries` shows it. */
export interface Delivery {
  readonly id: string;
  /** Event id and type. */
  readonly event: string;
  readonly type: string;
  /** Endpoint id and the URL it had. */
  readonly endpoint: string;
  readonly url: string;
  /** Attempts made so far. */
  attempt: number;
  status: DeliveryStatus;
  /** Of the last attempt; null before one, and when the endpoint could not be reached. */
  responseStatus: number | null;
  responseBody: string | null;
  /** When it was last tried, in seconds since 1970 by the machine's clock; null before the first attempt. */
  at: number | null;
}

export interface QueuedDelivery extends Delivery {
  payload: Stripe.Event;
}

/**
 * In which order waiting events leave. `second`, as Stripe does: in parallel, and in any order among those at most a
 * second apart (recorded in pay-rails/pay#282: an `updated` came before its `created`). The others send one at a time:
 * as they were made, the last first, shuffled.
 */
export const DELIVERY_ORDERS = ['second', 'fifo', 'reverse', 'shuffle'] as const;
type DeliveryOrder = (typeof DELIVERY_ORDERS)[number];

/** How events travel; `POST /_sim/delivery` sets it. */
export interface DeliveryMode {
  order: DeliveryOrder;
  seed: number;
  /** How many times each event is delivered. */
  copies: number;
  /** Keep everything back until a flush. */
  hold: boolean;
  /** Lose everything (true), or that share (0–1) by the seed. */
  drop: boolean | number;
  maxAttempts: number;
  /** Before the second attempt; doubled before each further one. */
  retryDelayMs: number;
}

export const DEFAULT_MODE: DeliveryMode = {
  order: 'second',
  seed: 1,
  copies: 1,
  hold: false,
  drop: false,
  maxAttempts: 5,
  retryDelayMs: 500,
};

/** A repeatable sequence of numbers in [0, 1) (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * The `Stripe-Signature` header for a raw body: HMAC-SHA256 over `<timestamp>.<body>`. The timestamp is
 * the wall clock's, as Stripe's is for a test clock's events too: receivers refuse old ones.
 */
function signatureHeader(body: string, secret: string, timestamp = Math.floor(Date.now() / 1000)): string {
  const digest = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  return `t=${timestamp},v1=${digest}`;
}

interface Posted {
  ok: boolean;
  status: number | null;
  body: string | null;
}

/** Longer than Stripe shows of an answer; enough to see what went wrong. */
const BODY_SHOWN = 4000;

/** One attempt to deliver an event: signed, without following redirects. Never throws. */
export async function postEvent(
  url: string,
  event: Stripe.Event,
  secret: string,
  timeoutMs: number,
): Promise<Posted> {
  const body = JSON.stringify(event, null, 2);
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      redirect: 'manual',
      headers: {
        'Content-Type': 'application/json; charset=utf-8',
        'Stripe-Signature': signatureHeader(body, secret),
        'User-Agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
      },
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    return { ok: response.ok, status: response.status, body: text.slice(0, BODY_SHOWN) };
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return { ok: false, status: null, body: cause instanceof Error ? cause.message : String(cause) };
  }
}

/** Deliveries to one endpoint that are open at once in the order `second`. */
export const IN_PARALLEL = 16;

interface QueueSteps {
  /** How many deliveries to one endpoint may be open at once. */
  readonly atOnce: () => number;
  /** Takes the next one out of a queue. */
  readonly take: (queue: QueuedDelivery[]) => QueuedDelivery | undefined;
  readonly attempt: (delivery: QueuedDelivery) => Promise<void>;
  /** Called whenever a queue has been worked off. */
  readonly onRest: () => void;
}

/** One queue per endpoint. */
export class EndpointQueues {
  private readonly steps: QueueSteps;
  private readonly queues = new Map<string, QueuedDelivery[]>();
  private readonly open = new Map<string, number>();
  private readonly gathering = new Map<string, NodeJS.Immediate>();
  private stopped = false;

  constructor(steps: QueueSteps) {
    this.steps = steps;
  }

  /** Waits for the end of the turn, so that events of one change can be put into another order. */
  push(delivery: QueuedDelivery): void {
    const { endpoint } = delivery;
    const queue = this.queues.get(endpoint) ?? [];
    queue.push(delivery);
    this.queues.set(endpoint, queue);
    if (this.gathering.has(endpoint)) return;
    this.gathering.set(
      endpoint,
      setImmediate(() => {
        this.gathering.delete(endpoint);
        this.drain(endpoint, queue);
      }),
    );
  }

  /** Whether nothing is queued or on its way. */
  areEmpty(): boolean {
    const queued = [...this.queues.values()].some((queue) => queue.length > 0);
    return !queued && this.open.size === 0 && this.gathering.size === 0;
  }

  /** Lets go of everything; what is on its way is not followed by another. */
  stop(): void {
    this.stopped = true;
    for (const timer of this.gathering.values()) clearImmediate(timer);
  }

  private drain(endpoint: string, queue: QueuedDelivery[]): void {
    const { take, atOnce } = this.steps;
    while (!this.stopped && (this.open.get(endpoint) ?? 0) < atOnce()) {
      const next = take(queue);
      if (next === undefined) return;
      this.open.set(endpoint, (this.open.get(endpoint) ?? 0) + 1);
      void this.deliver(endpoint, queue, next);
    }
  }

  private async deliver(endpoint: string, queue: QueuedDelivery[], next: QueuedDelivery): Promise<void> {
    await this.steps.attempt(next);
    const open = (this.open.get(endpoint) ?? 1) - 1;
    if (open === 0) this.open.delete(endpoint);
    else this.open.set(endpoint, open);
    if (this.stopped) return;
    this.drain(endpoint, queue);
    if (!this.open.has(endpoint)) this.steps.onRest();
  }
}
