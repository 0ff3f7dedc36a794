import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import Stripe from 'stripe';
import { afterEach, expect } from 'vitest';
import { type CatalogEntry, createSimulator, type Simulator, type SimulatorOptions } from '../src/server.ts';
import { differences } from './stripe-objects.ts';

export const SECRET_KEY = 'sk_test_simulator0000000000';
const running: { close(): Promise<void> }[] = [];

/** What the account of every test sells; no test depends on what anybody else sells. */
export const CATALOG: readonly CatalogEntry[] = [
  { lookupKey: 'club_monthly', name: 'Club', amount: 900, currency: 'eur', interval: 'month' },
  { lookupKey: 'club_yearly', name: 'Club (yearly)', amount: 9000, currency: 'eur', interval: 'year' },
  { lookupKey: 'club_forever', name: 'Club forever', amount: 19900, currency: 'eur', interval: null },
  {
    lookupKey: 'club_plus_monthly',
    name: 'Club Plus',
    description: 'Everything, with coins each month.',
    amount: 1900,
    currency: 'eur',
    interval: 'month',
    metadata: { monthly_coins: '1000' },
  },
  { lookupKey: 'coins_small', name: '100 coins', amount: 500, currency: 'eur', interval: null },
  { lookupKey: 'coins_large', name: '500 coins', amount: 2000, currency: 'eur', interval: null },
];

/** What fails a test at its end: where answers and events differ from Stripe's own document. */
const checks: (() => string[])[] = [];

afterEach(async () => {
  const wrong = checks.splice(0).flatMap((check) => check());
  expect(
    [...new Set(wrong)].slice(0, 20),
    'answers and events that Stripe’s document does not allow',
  ).toEqual([]);
});

afterEach(async () => {
  for (const started of running.splice(0)) await started.close();
});

/** Closes something after the test that is running. */
export function closeAfterTest(started: { close(): Promise<void> }): void {
  running.push(started);
}

/** The official SDK, pointed at a simulator; without retries, so that errors come out at once. */
export function sdk(simulator: Simulator, key = SECRET_KEY): Stripe {
  return new Stripe(key, { host: '127.0.0.1', port: simulator.port, protocol: 'http', maxNetworkRetries: 0 });
}

export interface Bench {
  simulator: Simulator;
  stripe: Stripe;
  /** Calls a control route, and fails the test unless it answers 200. */
  control: (path: string, body?: object) => Promise<Record<string, unknown>>;
  /** The price with that lookup key. */
  price: (lookupKey: string) => Promise<Stripe.Price>;
  /** Types of the events since the start, oldest first. */
  eventTypes: () => Promise<string[]>;
}

/** A simulator of the test's own and what talks to it. */
export async function startBench(options: SimulatorOptions = {}): Promise<Bench> {
  const wrong: string[] = [];
  const { PROVIDER_TRAFFIC: traffic } = process.env;
  const simulator = await createSimulator({
    ...(traffic ? { trafficFile: join(traffic, `simulator-tests-${process.pid}.jsonl`) } : {}),
    catalog: CATALOG,
    ...options,
    onExchange: ({ method, path, status, responseBody }) => {
      // What is in no document cannot be held to one.
      if (status !== 200 || path.startsWith('/v1/payment_pages/')) return;
      for (const line of differences(JSON.parse(responseBody))) wrong.push(`${method} ${path}: ${line}`);
    },
  });
  checks.push(() => {
    for (const event of simulator.world.tables.events.all()) {
      for (const line of differences(JSON.parse(JSON.stringify(event)))) wrong.push(`${event.type}: ${line}`);
    }
    return wrong;
  });
  closeAfterTest(simulator);
  const stripe = sdk(simulator);
  return {
    simulator,
    stripe,
    control: async (path, body) => {
      const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      const response = await fetch(`${simulator.url}/_sim/${path}`, init);
      const answer = (await response.json()) as Record<string, unknown>;
      expect(response.status, JSON.stringify(answer)).toBe(200);
      return answer;
    },
    price: async (lookupKey) => {
      const found = await stripe.prices.list({ lookup_keys: [lookupKey], active: true });
      const [price] = found.data;
      if (price === undefined) throw new Error(`No price ${lookupKey}`);
      return price;
    },
    eventTypes: async () => {
      const events = await stripe.events.list({ limit: 100 });
      return events.data.map((event) => event.type).reverse();
    },
  };
}

interface Bought {
  session: Stripe.Checkout.Session;
  customer: string;
  subscription: Stripe.Subscription;
}

/** Buys a plan through Checkout, paid with the card. */
export async function buyPlan(
  bench: Bench,
  given: {
    lookupKey?: string;
    trialDays?: number;
    card?: string;
    customer?: string;
    metadata?: Record<string, string>;
  } = {},
): Promise<Bought> {
  const price = await bench.price(given.lookupKey ?? 'club_plus_monthly');
  const customer = given.customer ?? (await bench.stripe.customers.create({ email: 'buyer@example.com' })).id;
  const session = await bench.stripe.checkout.sessions.create({
    mode: 'subscription',
    customer,
    line_items: [{ price: price.id, quantity: 1 }],
    success_url: 'https://example.com/done?session={CHECKOUT_SESSION_ID}',
    cancel_url: 'https://example.com/back',
    metadata: given.metadata ?? {},
    subscription_data: {
      metadata: given.metadata ?? {},
      ...(given.trialDays === undefined ? {} : { trial_period_days: given.trialDays }),
    },
  });
  await bench.control(`checkout/${session.id}/pay`, given.card === undefined ? {} : { card: given.card });
  const paid = await bench.stripe.checkout.sessions.retrieve(session.id, { expand: ['subscription'] });
  if (paid.subscription === null || typeof paid.subscription === 'string')
    throw new Error('No subscription was made');
  return { session: paid, customer, subscription: paid.subscription };
}

/** Buys a pack once, with metadata on session and payment intent. */
export async function buyPack(
  bench: Bench,
  metadata: Record<string, string> = {},
): Promise<{ session: Stripe.Checkout.Session; charge: Stripe.Charge }> {
  const price = await bench.price('coins_small');
  const session = await bench.stripe.checkout.sessions.create({
    mode: 'payment',
    customer_creation: 'always',
    line_items: [{ price: price.id, quantity: 1 }],
    success_url: 'https://example.com/done',
    metadata,
    payment_intent_data: { metadata },
  });
  await bench.control(`checkout/${session.id}/pay`, {});
  const paid = await bench.stripe.checkout.sessions.retrieve(session.id, {
    expand: ['payment_intent.latest_charge'],
  });
  const intent = paid.payment_intent;
  if (intent === null || typeof intent === 'string') throw new Error('No payment intent was made');
  const charge = intent.latest_charge;
  if (charge === null || typeof charge === 'string') throw new Error('No charge was made');
  return { session: paid, charge };
}

/** What a call was refused with; fails when it succeeds. */
export async function refusalOf(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) return error;
    throw error;
  }
  throw new Error('The call succeeded');
}

export const DAY = 86_400;

interface Received {
  type: string;
  id: string;
  body: string;
  signature: string;
}

export interface Receiver {
  url: string;
  received: Received[];
  types: () => string[];
  /** Statuses of the next answers; 200 when there are none left. */
  answers: number[];
  /** The most requests that were open at once. */
  mostAtOnce: () => number;
  /** Answers nothing until so many requests are open. */
  waitFor: (count: number) => void;
}

/** A webhook endpoint of the test's own. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const answers: number[] = [];
  let open = 0;
  let most = 0;
  let wanted = 1;
  let waiting: (() => void)[] = [];
  const server = createServer(async (request, response) => {
    open += 1;
    most = Math.max(most, open);
    const body = await text(request);
    const event = JSON.parse(body);
    const signature = String(request.headers['stripe-signature']);
    received.push({ type: event.type, id: event.id, body, signature });
    waiting.push(() => {
      open -= 1;
      response.writeHead(answers.shift() ?? 200).end('noted');
    });
    if (open < wanted) return;
    const ready = waiting;
    waiting = [];
    setImmediate(() => {
      for (const answer of ready) answer();
    });
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  closeAfterTest({
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    answers,
    types: () => received.map((one) => one.type),
    mostAtOnce: () => most,
    waitFor: (count) => {
      wanted = count;
    },
  };
}
