import { randomUUID } from 'node:crypto';
import { VERSION_HEADER } from '@extension-billing/contract/headers';
import { Stripe } from 'stripe';
import { signUp } from '../../functions/test/app/emulated-user.ts';
import {
  invoicePaid,
  type PostedEvent,
  packBought,
  subscriptionEvent,
} from '../../functions/test/factories/provider-events.ts';
import { sold } from '../../packages/cli/src/local/sold.ts';
import { send } from './http.ts';

/** The measured requests. */
export const KINDS = ['consume', 'balance', 'webhook', 'checkout'] as const;
export type Kind = (typeof KINDS)[number];

/** A subscriber with a pack, and what their extension keeps. */
export interface User {
  readonly uid: string;
  readonly idToken: string;
  /** Version of the record in the last answer, which the client sends back. */
  version: string;
  /** Renewals so far. */
  periods: number;
}

const PACK = 100_000;
const AT_ONCE = 16;
const version = VERSION_HEADER.toLowerCase();
const json = { 'content-type': 'application/json' };
const { webhooks } = new Stripe('sk_test_only_signs_events');

/** Signs users up at the auth emulator and delivers the events of a plan and a pack for each. */
export async function createUsers(url: string, count: number): Promise<readonly User[]> {
  const users: User[] = [];
  while (users.length < count) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - users.length) }, async () => {
      const { uid, idToken } = await signUp();
      await deliver(url, planBegins(uid));
      await deliver(url, packComes(uid));
      return { uid, idToken, version: '', periods: 0 };
    });
    users.push(...(await Promise.all(some)));
  }
  return users;
}

/** Sends one request of a user to an instance. */
export async function ask(url: string, kind: Kind, user: User): Promise<void> {
  switch (kind) {
    case 'consume': {
      const body = JSON.stringify({ feature: sold.feature });
      const headers = { ...json, ...headersOf(user), 'idempotency-key': randomUUID() };
      return remember(user, await send(url, { method: 'POST', path: '/credits/consume', headers, body }));
    }
    case 'balance': {
      const headers = headersOf(user);
      return remember(user, await send(url, { method: 'GET', path: '/credits/balance', headers }));
    }
    case 'webhook':
      user.periods += 1;
      return deliver(url, invoicePaid(planOf(user.uid), { period: user.periods }));
    case 'checkout': {
      const body = JSON.stringify({ lookup_key: sold.smallPack.lookupKey });
      const headers = { ...json, ...headersOf(user) };
      await send(url, { method: 'POST', path: '/billing/checkout', headers, body });
      return;
    }
    default:
      return kind satisfies never;
  }
}

const headersOf = ({ idToken, version: carried }: User) => ({
  authorization: `Bearer ${idToken}`,
  ...(carried === '' ? {} : { [version]: carried }),
});

function remember(user: User, headers: NodeJS.Dict<string | string[]>): void {
  const brought = headers[version];
  if (typeof brought === 'string') user.version = brought;
}

async function deliver(url: string, event: PostedEvent): Promise<void> {
  const body = JSON.stringify({ object: 'event', api_version: '2026-10-28.endive', ...event });
  const secret = process.env.PAYMENT_WEBHOOK_SECRET ?? '';
  const headers = {
    ...json,
    'stripe-signature': webhooks.generateTestHeaderString({ payload: body, secret }),
  };
  await send(url, { method: 'POST', path: '/billing/webhook', headers, body });
}

const planOf = (uid: string) => ({ uid, subscription: `sub_${uid}` });

function planBegins(uid: string): PostedEvent {
  const [start, month] = [Math.floor(Date.now() / 1000), 30 * 86_400];
  const price = { id: 'price_metered', lookup_key: sold.metered.lookupKey };
  const item = { current_period_start: start, current_period_end: start + month, price };
  return subscriptionEvent('created', planOf(uid), { items: { object: 'list', data: [item] } });
}

function packComes(uid: string): PostedEvent {
  const metadata = { uid, kind: 'pack', lookup_key: sold.smallPack.lookupKey, credits: String(PACK) };
  return packBought({ uid }, PACK, { metadata });
}
