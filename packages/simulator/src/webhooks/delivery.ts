import type Stripe from 'stripe';

export type DeliveryStatus = 'pending' | 'held' | 'delivered' | 'failed' | 'dropped';

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
 * In which order waiting events leave: as they were made, the last first, any, or (`second`, as Stripe does: recorded
 * in pay-rails/pay#282, where an `updated` came before its `created`) any among those at most a second apart.
 */
export const DELIVERY_ORDERS = ['second', 'fifo', 'reverse', 'shuffle'] as const;
export type DeliveryOrder = (typeof DELIVERY_ORDERS)[number];

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
