import { randomUUID } from 'node:crypto';
import { VERSION_HEADER } from '@extension-billing/contract/headers';
import { asUid } from '../../functions/test/fixtures/as-uid.ts';
import { sold } from '../../packages/cli/src/local/sold.ts';
import type { Kind } from './traffic.ts';
import { type BenchUser, deliver, exchange, pick, planRenews } from './world.ts';

/** Somebody with an extension, and what their worker keeps. */
export interface Visitor extends BenchUser {
  /** What the last answer brought; empty at first. */
  version: string;
  /** The key of the last consume that was answered. */
  lastKey: string;
  /** Renewals so far. */
  periods: number;
}

/** Those who ask. What a backend charges, and who has nothing left, are users of their own. */
export interface Visitors {
  readonly users: readonly Visitor[];
  readonly charged: readonly { readonly uid: string; version: string }[];
  readonly poor: readonly BenchUser[];
  /** The backend's. */
  readonly key: string;
}

const header = VERSION_HEADER.toLowerCase();
const CONSUME = JSON.stringify({ feature: sold.feature });
const SETTLED = 200;
const REFUSED = 402;

/**
 * One of the visitors asks at an instance.
 *
 * @param url which instance answers each of the requests that it takes
 * @param carries whether the version that an answer brought is sent back (docs/decisions/credits.md)
 * @throws Error where the answer is another one than it should be
 */
export async function askAs(
  { users, charged, poor, key }: Visitors,
  { kind, who }: { readonly kind: Kind; readonly who: number },
  url: () => string,
  carries: boolean,
): Promise<void> {
  const visitor = pick(users, who);
  switch (kind) {
    case 'consume':
      return consume(url(), visitor, randomUUID(), carries);
    case 'replay':
      return consume(url(), visitor, visitor.lastKey || randomUUID(), carries);
    case 'balance':
      return ask(url(), 'GET', '/credits/balance', visitor, bearer(visitor.idToken), '', carries);
    case 'refusal': {
      const headers = { ...bearer(pick(poor, who).idToken), 'idempotency-key': randomUUID() };
      return ask(url(), 'POST', '/credits/consume', null, headers, CONSUME, false, REFUSED);
    }
    case 'charge': {
      const account = pick(charged, who);
      const reservation = randomUUID();
      const headers = { ...bearer(key), 'billing-user': account.uid };
      const held = { ...headers, 'idempotency-key': reservation };
      await ask(url(), 'POST', '/credits/reserve', account, held, CONSUME, carries);
      const settled = JSON.stringify({ reservation, amount: 1 });
      return ask(url(), 'POST', '/credits/settle', account, headers, settled, carries);
    }
    case 'event':
      visitor.periods += 1;
      return deliver(url(), planRenews(asUid(visitor.uid), visitor.periods));
    default:
      kind satisfies never;
  }
}

async function consume(url: string, visitor: Visitor, key: string, carries: boolean): Promise<void> {
  const headers = { ...bearer(visitor.idToken), 'idempotency-key': key };
  await ask(url, 'POST', '/credits/consume', visitor, headers, CONSUME, carries);
  visitor.lastKey = key;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function ask(
  url: string,
  method: 'GET' | 'POST',
  path: string,
  carrier: { version: string } | null,
  headers: Readonly<Record<string, string>>,
  body: string,
  carries: boolean,
  expected = SETTLED,
): Promise<void> {
  const sent = carries && carrier !== null && carrier.version !== '' ? { [header]: carrier.version } : {};
  const json = method === 'POST' ? { 'content-type': 'application/json' } : {};
  const answer = await exchange(`${url}${path}`, { method, headers: { ...headers, ...sent, ...json }, body });
  if (answer.status !== expected) {
    throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text.slice(0, 300)}`);
  }
  const brought = answer.headers[header];
  if (carrier !== null && typeof brought === 'string') carrier.version = brought;
}
