import type Stripe from 'stripe';

/** `GET /_sim/state`: the account's objects, each kind in the order in which it was made. */
export type State = {
  customers: Stripe.Customer[];
  subscriptions: Stripe.Subscription[];
  invoices: Stripe.Invoice[];
  charges: Stripe.Charge[];
  refunds: Stripe.Refund[];
  checkout_sessions: Stripe.Checkout.Session[];
  payment_intents: Stripe.PaymentIntent[];
  prices: Stripe.Price[];
  products: Stripe.Product[];
  events: Stripe.Event[];
  webhook_endpoints: Stripe.WebhookEndpoint[];
  disputes?: Stripe.Dispute[];
};

/** One attempt, made or planned, to bring an event to an endpoint (`GET /_sim/deliveries`). */
export type Delivery = {
  id: string;
  event: string;
  type: string;
  endpoint: string;
  url: string;
  attempt: number;
  status: 'pending' | 'held' | 'delivered' | 'failed' | 'dropped';
  responseStatus: number | null;
  responseBody: string | null;
  /** When it last changed, in milliseconds of the machine's clock. */
  at: number | null;
};

/** How events travel from now on (`GET /_sim/delivery`). */
export type DeliveryMode = {
  order: 'second' | 'fifo' | 'reverse' | 'shuffle';
  copies: number;
  hold: boolean;
  /** Everything (true), nothing, or that share of it. */
  drop: boolean | number;
};

/** The service's own record of a customer, as flat as the page shows it. */
export type ServiceRecord = Record<string, unknown>;

/** Everything that the page shows. `records` is null where the simulator was given no service to ask. */
export type Picture = {
  now: number;
  state: State;
  deliveries: Delivery[];
  mode: DeliveryMode;
  records: Map<string, ServiceRecord> | null;
  /** Why the records are not the newest; null where they are. */
  recordsProblem: string | null;
};
