import { type Caller, SCOPES, type Scope, scopesOf } from '@extension-billing/contract/callers';
import { codesOf, ROUTES, type Route, type RouteName } from '@extension-billing/contract/routes';
import { Stripe } from 'stripe';
import { expect, it } from 'vitest';
import type { AppDeps } from '../src/deps.ts';
import { aConfig, LOCAL_ENVIRONMENT } from './app/config.ts';
import { ACCOUNT, AUDIENCE, accountToken, googleKeys } from './app/google-account.ts';
import { keptLog, serveApp } from './app/serve-app.ts';
import { storeKey } from './app/service-key.ts';
import { MemoryFirestore } from './model/memory-firestore.ts';

const { webhooks } = new Stripe('sk_test_only_signs_events');
const TOKEN = 'token-of-the-process-that-made-the-app';
const USER_TOKEN = 'some.id.token';
const ACCOUNT_TOKEN = await accountToken();

/** The service as a host makes it that may call it with some scopes, or not at all; a database that counts how often it is asked. */
async function servedFor(scopes: readonly Scope[] | null) {
  const log = keptLog();
  const database = new MemoryFirestore();
  let asked = 0;
  const count = async () => {
    asked += 1;
  };
  database.around = { before: count, after: async () => {} };
  const verifyIdToken = async (token: string) => {
    if (token === USER_TOKEN) return { uid: 'ada', exp: 32_503_680_000, auth_time: 0, firebase: {} };
    throw Object.assign(new Error('Decoding Firebase ID token failed.'), { code: 'auth/argument-error' });
  };
  const auth = { verifyIdToken, getUser: async () => ({ providerData: [] }) } as unknown as AppDeps['auth'];
  const serviceAccounts = new Map(scopes === null ? [] : [[ACCOUNT, scopes]]);
  const base = await serveApp({
    config: aConfig({ serviceAccounts, serviceAudience: AUDIENCE }),
    googleKeys,
    firestore: database.connect() as AppDeps['firestore'],
    auth,
    log,
    stripe: (async () => ({ webhooks })) as unknown as AppDeps['stripe'],
    ...(scopes !== null && { trusted: { token: TOKEN, name: 'shop', scopes } }),
  });
  const proofs = {
    'in this process': TOKEN,
    'with a key': await storeKey(database.connect(), { scopes: scopes ?? [], lastUsedAt: Date.now() }),
    'with a token of Google’s': ACCOUNT_TOKEN,
  };
  const ask = async ({ method, path }: Route, headers: Readonly<Record<string, string>>, body = '{}') => {
    const init = { method, headers: { 'content-type': 'application/json', ...headers } };
    const response = await fetch(base + path, method === 'GET' ? init : { ...init, body });
    const answer = (await response.json()) as { readonly code?: string; readonly scope?: string };
    return { status: response.status, ...answer };
  };
  asked = 0;
  return { ask, log, database, proofs, asked: () => asked };
}

type World = Awaited<ReturnType<typeof servedFor>>;
type Proof = keyof World['proofs'];

/** Who may stand at the door: nobody, a user, the provider, and services with each set of scopes. */
interface Comer {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly is: readonly Caller[];
  /** Reads of its own that show who it is. */
  readonly reads: number;
  readonly headers: (world: World, body: string) => Readonly<Record<string, string>>;
}

const PROOFS: readonly Proof[] = ['in this process', 'with a key', 'with a token of Google’s'];
const services = (scopes: readonly Scope[]): readonly Comer[] =>
  PROOFS.map((proof) => ({
    name: `a service ${proof} with ${scopes.join(' and ') || 'no scope'}`,
    scopes,
    is: scopes.map((scope) => `service:${scope}` as const),
    reads: proof === 'with a key' ? 1 : 0,
    headers: ({ proofs }) => ({ authorization: `Bearer ${proofs[proof]}`, 'billing-user': 'ada' }),
  }));
const none = { scopes: [], reads: 0 };
const COMERS: readonly Comer[] = [
  { ...none, name: 'nobody', is: [], headers: () => ({}) },
  {
    ...none,
    name: 'somebody with a token of nobody',
    is: [],
    headers: () => ({ authorization: 'Bearer x.y.z' }),
  },
  { ...none, name: 'a user', is: ['user'], headers: () => ({ authorization: `Bearer ${USER_TOKEN}` }) },
  {
    ...none,
    name: 'the provider',
    is: ['provider'],
    headers: (_world, payload) => ({
      'stripe-signature': webhooks.generateTestHeaderString({
        payload,
        secret: LOCAL_ENVIRONMENT.PAYMENT_WEBHOOK_SECRET,
      }),
    }),
  },
  ...services([]),
  ...SCOPES.flatMap((scope) => services([scope])),
  ...SCOPES.flatMap((scope) => services(SCOPES.filter((other) => other !== scope))),
  ...services(SCOPES),
];

/** The secret of a key, the signature of a token. */
const lastPart = (proof: string): string => proof.slice(-43);
const DENIED = ['unauthenticated', 'caller_not_allowed', 'invalid_signature'];

const ROWS = Object.entries<Route>(ROUTES) as readonly [RouteName, Route][];

it.each(COMERS)('$name gets in exactly where the row of a route says so', async (comer) => {
  const { scopes, is, reads, headers } = comer;
  const world = await servedFor(scopes);
  const admitted: RouteName[] = [];
  for (const [name, route] of ROWS) {
    const before = world.asked();
    const body = route.body === 'event' ? '{"object":"event"}' : '{}';
    const { status, code = 'none', scope } = await world.ask(route, headers(world, body), body);
    if (!DENIED.includes(code)) {
      admitted.push(name);
      continue;
    }
    expect(codesOf(route)).toContain(code);
    expect([400, 401, 403]).toContain(status);
    expect(world.asked() - before, `${name} read nothing else, and wrote nothing`).toBeLessThanOrEqual(reads);
    if (code === 'caller_not_allowed') expect(scope).toBe(scopesOf(route.callers)[0]);
  }
  const listed = ROWS.filter(([, { callers }]) => is.some((caller) => callers.includes(caller)));
  expect(admitted).toEqual(listed.map(([name]) => name));
  const lines = JSON.stringify(world.log.lines);
  const proofs = Object.values(world.proofs);
  for (const secret of [...proofs, ...proofs.map(lastPart), ACCOUNT, 'ada'])
    expect(lines).not.toContain(secret);
});

it('every route has a caller, and every kind of caller a route', () => {
  const known = ['user', 'provider', ...SCOPES.map((scope) => `service:${scope}`)];
  expect(new Set(ROWS.flatMap(([, { callers }]) => callers))).toEqual(new Set(known));
  expect(ROWS.filter(([, { callers }]) => callers.length === 0)).toEqual([]);
});

const asService = { authorization: `Bearer ${TOKEN}` };

it.each([undefined, '', '.', '..', 'a/b', '__ada__', 'x'.repeat(129), 'ada, ada', 'a da', '\u00fc'])(
  'every route of services needs to know for whom one acts: %j is no user',
  async (user) => {
    const { ask, asked } = await servedFor(SCOPES);
    const headers = { ...asService, ...(user !== undefined && { 'billing-user': user }) };
    for (const [, route] of ROWS.filter(([, { callers }]) => scopesOf(callers).length > 0)) {
      expect(await ask(route, headers)).toMatchObject({ status: 400, code: 'user_required' });
    }
    expect(asked()).toBe(0);
  },
);

it('no route lets a user act for another one', async () => {
  const { ask, asked } = await servedFor([]);
  const headers = { authorization: `Bearer ${USER_TOKEN}`, 'billing-user': 'eve' };
  for (const [, route] of ROWS.filter(([, { callers }]) => callers.includes('user'))) {
    expect(await ask(route, headers)).toMatchObject({ status: 400, code: 'invalid_request' });
  }
  expect(asked()).toBe(0);
});

it.each([`${TOKEN}x`, TOKEN.slice(1), TOKEN.toUpperCase(), 'undefined', 'x'])(
  'the bearer %j is not the host’s',
  async (token) => {
    const { ask } = await servedFor(SCOPES);
    const headers = { authorization: `Bearer ${token}`, 'billing-user': 'ada' };
    expect(await ask(ROUTES.readBalance, headers)).toMatchObject({ status: 401, code: 'unauthenticated' });
  },
);

it('the host’s token opens nothing of an app that was made without it', async () => {
  const { ask } = await servedFor(SCOPES);
  const headers = { ...asService, 'billing-user': 'ada' };
  expect((await ask(ROUTES.readBalance, headers)).status).toBe(200);
  const { ask: askOther } = await servedFor(null);
  expect((await askOther(ROUTES.readBalance, headers)).status).toBe(401);
});
