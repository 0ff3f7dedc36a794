import { randomUUID } from 'node:crypto';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { type Firestore, Timestamp } from 'firebase-admin/firestore';
import { Stripe } from 'stripe';
import type { Uid } from '../../functions/src/store/documents.ts';
import { firestore, signUp } from '../../functions/test/app/emulated-user.ts';
import {
  invoicePaid,
  type PostedEvent,
  packBought,
  subscriptionEvent,
} from '../../functions/test/factories/provider-events.ts';
import { asUid } from '../../functions/test/fixtures/as-uid.ts';
import { type FirestoreProxy, startFirestoreProxy } from '../../functions/test/fixtures/firestore-proxy.ts';
import { sold } from '../../packages/cli/src/local/sold.ts';
import { type Instance, startFunction } from './instances.ts';
import type { Options } from './options.ts';

/** An instance of the function, and users whose records nobody else writes: its memory of them is never stale. */
export interface Served extends Instance {
  readonly users: readonly BenchUser[];
}

/** What the rows are measured on. What a row does not ask for is not started. */
export interface World {
  readonly options: Options;
  readonly firestore: Firestore;
  readonly proxy: FirestoreProxy;
  /** The function straight on Firestore. */
  direct(): Promise<Served>;
  /** The same behind the proxy. */
  behindProxy(): Promise<Served>;
  /** What a row has started itself and others use as well ends with the world. */
  atEnd(end: () => Promise<unknown>): void;
  end(): Promise<void>;
}

export const USERS = 128;

export async function openWorld(options: Options): Promise<World> {
  const proxy = await startFirestoreProxy(process.env.FIRESTORE_EMULATOR_HOST ?? '');
  const ends: (() => Promise<unknown>)[] = [];
  const up = async (starting: Promise<Instance>): Promise<Instance> => {
    const instance = await starting;
    ends.push(() => instance.end());
    await instance.listens;
    return instance;
  };
  const serve = async (over: Readonly<Record<string, string>>): Promise<Served> => {
    const instance = await up(startFunction(over));
    return { ...instance, users: await signUpUsers(firestore, USERS) };
  };
  return {
    options,
    firestore,
    proxy,
    direct: once(() => serve({})),
    behindProxy: once(() => serve({ FIRESTORE_EMULATOR_HOST: proxy.address })),
    atEnd: (end) => void ends.push(end),
    async end() {
      await Promise.all(ends.map((end) => end()));
      await proxy.close();
    },
  };
}

function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

export async function consume(url: string, user: BenchUser, key: string = randomUUID()): Promise<void> {
  await send(`${url}/credits/consume`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${user.idToken}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify({ feature: sold.feature }),
  });
}

export function pick<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

export interface BenchUser {
  readonly uid: Uid;
  readonly idToken: string;
}

const PLENTY = 1_000_000;

/** Signs users up at the auth emulator and gives each more credits than any run spends. */
export async function signUpUsers(firestore: Firestore, count: number): Promise<readonly BenchUser[]> {
  const users = await signUpOnly(count);
  await Promise.all(users.map(({ uid }) => giveCredits(firestore, uid)));
  return users;
}

/** The same for users whose records the service itself is to write. */
export async function signUpOnly(count: number): Promise<readonly BenchUser[]> {
  const users: BenchUser[] = [];
  while (users.length < count) {
    const some = Array.from({ length: Math.min(16, count - users.length) }, () => signUp());
    for (const { uid, idToken } of await Promise.all(some)) users.push({ uid: asUid(uid), idToken });
  }
  return users;
}

export async function giveCredits(firestore: Firestore, uid: Uid, credits = PLENTY): Promise<void> {
  await firestore.doc(`customers/${uid}`).set(customer(credits));
}

/** Adds customers, each with a ledger entry, that nothing in the run asks for. */
export async function addBystanders(firestore: Firestore, from: number, to: number): Promise<void> {
  for (let first = from; first < to; first += EACH_BATCH * BATCHES) {
    const starts = Array.from({ length: BATCHES }, (_, n) => first + n * EACH_BATCH);
    await Promise.all(starts.map((start) => addSome(firestore, start, Math.min(start + EACH_BATCH, to))));
  }
}

/** A commit takes 500 writes, two for each customer. */
const EACH_BATCH = 250;
const BATCHES = 4;

async function addSome(firestore: Firestore, from: number, to: number): Promise<void> {
  const batch = firestore.batch();
  for (let n = from; n < to; n += 1) {
    const path = `customers/bystander-${n}`;
    batch.set(firestore.doc(path), customer(100));
    batch.set(firestore.doc(`${path}/credit_ledger/grant`), { packs: 100, createdAt: Timestamp.now() });
  }
  if (from < to) await batch.commit();
}

const customer = (credits: number) => ({
  creditsRemaining: credits,
  creditsAllowance: 0,
  packCreditsRemaining: credits,
  updatedAt: Timestamp.fromMillis(Date.now()),
});

/** Connections that stay open, as those of a browser do. */
const agent = new Agent({ keepAlive: true, maxSockets: 128 });

interface Outgoing {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Incoming {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/**
 * Sends a request over a kept connection. Where the server has just closed that one for being idle, another takes the
 * request, as a browser does it.
 */
export function exchange(url: string, outgoing: Outgoing): Promise<Incoming> {
  const { method = 'GET', headers = {}, body = '' } = outgoing;
  return new Promise((resolve, reject) => {
    const length = method === 'POST' ? { 'content-length': String(Buffer.byteLength(body)) } : {};
    const call = request(url, { method, agent, headers: { ...headers, ...length } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('error', reject);
      answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
    });
    call.on('error', (error: NodeJS.ErrnoException) => {
      const wasIdle = call.reusedSocket && error.code === 'ECONNRESET';
      if (wasIdle) exchange(url, outgoing).then(resolve, reject);
      else reject(error);
    });
    call.end(body);
  });
}

/** @throws Error with the answer when its status is another one than expected */
export async function send(url: string, outgoing: Outgoing, expected = 200): Promise<string> {
  const { status, text } = await exchange(url, outgoing);
  if (status === expected) return text;
  throw new Error(`${outgoing.method ?? 'GET'} ${url} answered ${status}: ${text.slice(0, 300)}`);
}

const { webhooks } = new Stripe('sk_test_only_signs_events');

/** A delivery as the provider sends it: the body and its signature. */
export interface Delivery {
  readonly id: string;
  readonly body: string;
  readonly signature: string;
}

export function sign(event: PostedEvent): Delivery {
  const body = JSON.stringify({ object: 'event', api_version: '2026-10-28.endive', ...event });
  const secret = process.env.PAYMENT_WEBHOOK_SECRET ?? '';
  return { id: event.id, body, signature: webhooks.generateTestHeaderString({ payload: body, secret }) };
}

/** Posts a delivery to an instance; what does not come back as applied is a failure. */
export async function deliver(url: string, { body, signature }: Delivery): Promise<void> {
  const answer = await send(`${url}/billing/webhook`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': signature },
    body,
  });
  if (!answer.includes('"applied"')) throw new Error(`the webhook answered ${answer}`);
}

const planOf = (uid: string) => ({ uid, subscription: `sub_${uid}` });

/** The event that puts a user on the metered plan. */
export const planBegins = (uid: string): Delivery => {
  const [start, month] = [Math.floor(Date.now() / 1000), 30 * 86_400];
  const price = { id: 'price_metered', lookup_key: sold.metered.lookupKey };
  const item = { current_period_start: start, current_period_end: start + month, price };
  const items = { object: 'list', data: [item] };
  return sign(subscriptionEvent('created', planOf(uid), { items }));
};

/** The event that gives a user a small pack with this many credits. */
export const packComes = (uid: string, credits: number): Delivery => {
  const metadata = { uid, kind: 'pack', lookup_key: sold.smallPack.lookupKey, credits: String(credits) };
  return sign(packBought({ uid }, credits, { metadata }));
};

/** The renewal that replaces the allowance; each later period is a new one. */
export const planRenews = (uid: string, period: number): Delivery =>
  sign(invoicePaid(planOf(uid), { period }));
