import { Agent, request } from 'node:http';
import type { Firestore } from 'firebase-admin/firestore';
import { Stripe } from 'stripe';
import { onTestFinished } from 'vitest';
import type { AppDeps } from '../../src/deps.ts';
import { aConfig, LOCAL_ENVIRONMENT } from '../app/config.ts';
import { FakeProvider } from '../app/fake-provider.ts';
import { keptLog, serveApp } from '../app/serve-app.ts';
import { MemoryFirestore } from '../model/memory-firestore.ts';
import { UID } from './any-event.ts';

const { webhooks } = new Stripe('sk_test_only_signs_events');

export interface Answered {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** The whole service in memory, for one user: its own code from the socket to the stored documents. */
export async function servedInMemory(overrides: Partial<AppDeps> = {}) {
  const log = keptLog();
  const database = new MemoryFirestore();
  const provider = new FakeProvider();
  const missing = () => Promise.reject(Object.assign(new Error('no such object'), { statusCode: 404 }));
  const unknown = { retrieve: missing };
  const stripe = async () => {
    const known = await provider.stripe();
    return {
      ...known,
      webhooks,
      charges: unknown,
      subscriptions: { ...unknown, update: missing, cancel: missing, list: async function* () {} },
      prices: { ...known.prices, ...unknown },
    };
  };
  let customClaims = {};
  const auth = {
    verifyIdToken: async () => ({ uid: UID, exp: 32_503_680_000, auth_time: 0, firebase: {} }),
    getUser: async () => ({ customClaims, providerData: [] }),
    setCustomUserClaims: async (_uid: string, claims: object) => {
      customClaims = claims;
    },
  } as unknown as AppDeps['auth'];
  const base = new URL(
    await serveApp({
      config: aConfig({ rateLimit: { perSecond: 100_000, burst: 100_000 } }),
      firestore: database.connect() as Firestore,
      auth,
      stripe: stripe as unknown as AppDeps['stripe'],
      log,
      ...overrides,
    }),
  );
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  onTestFinished(() => agent.destroy());

  /** Sends bytes as they are: no client in between that would refuse or fix them. */
  const send = (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array | string = '',
  ): Promise<Answered> =>
    new Promise((answered, failed) => {
      const call = request(
        { host: base.hostname, port: base.port, agent, method, path, headers },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () =>
            answered({
              status: response.statusCode ?? 0,
              type: response.headers['content-type'] ?? '',
              body: Buffer.concat(chunks).toString(),
            }),
          );
        },
      );
      call.on('error', failed);
      call.end(body);
    });
  const post = (path: string, body: Uint8Array | string, headers: Readonly<Record<string, string>> = {}) =>
    send(
      'POST',
      path,
      { authorization: 'Bearer some.id.token', 'content-type': 'application/json', ...headers },
      body,
    );
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    send('GET', path, { authorization: 'Bearer some.id.token', ...headers });

  return {
    log,
    database,
    post,
    get,
    /** A webhook, signed as the provider signs. */
    deliver: (payload: string) =>
      post('/billing/webhook', payload, {
        'stripe-signature': webhooks.generateTestHeaderString({
          payload,
          secret: LOCAL_ENVIRONMENT.PAYMENT_WEBHOOK_SECRET,
        }),
      }),
  };
}

export type Served = Awaited<ReturnType<typeof servedInMemory>>;

/** What is wrong with an answer to a body that a client chose; null for one that is as docs/api.md says. */
export function wrongIn({ status, type, body }: Answered): string | null {
  if (status >= 500 || status < 200) return `${status} ${body}`;
  if (status >= 400) {
    if (!type.startsWith('application/problem+json')) return `${status} as ${type}`;
    return typeof JSON.parse(body).code === 'string' ? null : `${status} without a code`;
  }
  return type.startsWith('application/json') ? null : `${status} as ${type}`;
}
