import { SCOPES } from '@extension-billing/contract/callers';
import { testCatalog } from '@extension-billing/contract/test/catalog';
import { expect, it } from 'vitest';
import type { AppDeps } from '../src/deps.ts';
import { packBought } from './factories/provider-events.ts';
import { UID } from './fuzz/any-event.ts';
import { servedInMemory } from './fuzz/served.ts';

const trusted = { token: 'token-of-the-host', name: 'shop', scopes: SCOPES };

/** A user with credits and a service that may act for them, both at the same service of ours. */
async function aUserAndAService(overrides: Partial<AppDeps> = {}) {
  const { post, get, deliver, database } = await servedInMemory({ trusted, ...overrides });
  const headersOf = { user: {}, service: { authorization: `Bearer ${trusted.token}`, 'billing-user': UID } };
  const ask = async (who: keyof typeof headersOf, path: string, body: object, key?: string) => {
    const named = key === undefined ? {} : { 'idempotency-key': key };
    const answer = await post(path, JSON.stringify(body), { ...headersOf[who], ...named });
    return { status: answer.status, ...(JSON.parse(answer.body) as { readonly code?: string }) };
  };
  return {
    ask,
    get,
    database,
    buy: (credits: number) =>
      deliver(JSON.stringify({ object: 'event', ...packBought({ uid: UID }, credits) })),
    entry: (id: string) => database.documents.get(`customers/${UID}/credit_ledger/${id}`)?.data,
    record: () => database.documents.get(`customers/${UID}`)?.data,
  };
}

const DEMO = { feature: 'demo' };

it('what a service asks for is written down as the service’s', async () => {
  const { ask, buy, entry, record } = await aUserAndAService();
  await buy(100);
  expect(await ask('service', '/credits/consume', DEMO, 'one')).toMatchObject({ status: 200, ok: true });
  expect(await ask('service', '/credits/reserve', DEMO, 'job')).toMatchObject({ status: 200, ok: true });
  expect(entry('consume_one')).toMatchObject({ by: 'process:shop' });
  expect(entry('reserve_job')).toMatchObject({ by: 'process:shop' });
  expect(record()).toMatchObject({ creditHolds: [{ reservation: 'job', byService: true }] });
  expect(await ask('service', '/credits/release', { reservation: 'job' })).toMatchObject({ status: 200 });
  expect(entry('settle_job')).toMatchObject({ kind: 'release', by: 'process:shop' });
});

it('what a user asks for names no service', async () => {
  const { ask, buy, entry, record } = await aUserAndAService();
  await buy(100);
  await ask('user', '/credits/consume', DEMO, 'one');
  await ask('user', '/credits/reserve', DEMO, 'job');
  expect(entry('consume_one')).not.toHaveProperty('by');
  expect(record()?.creditHolds).toEqual([expect.not.objectContaining({ byService: true })]);
  await ask('user', '/credits/confirm', { reservation: 'job' });
  expect(entry('settle_job')).not.toHaveProperty('by');
});

it.each([
  ['user', 'service', '/credits/consume'],
  ['service', 'user', '/credits/consume'],
  ['user', 'service', '/credits/reserve'],
  ['service', 'user', '/credits/reserve'],
] as const)(
  'the key of a %s’s request is no %s’s at %s, whether it was granted or refused',
  async (first, second, path) => {
    const { ask, buy } = await aUserAndAService();
    await buy(4);
    expect((await ask(first, path, DEMO, 'granted')).status).toBe(200);
    expect((await ask(first, path, { feature: 'demo_deep' }, 'refused')).status).toBe(402);
    for (const key of ['granted', 'refused']) {
      const feature = key === 'granted' ? 'demo' : 'demo_deep';
      expect(await ask(second, path, { feature }, key)).toMatchObject({
        status: 422,
        code: 'idempotency_key_reused',
      });
      expect(await ask(first, path, { feature }, key)).toMatchObject({ replayed: true });
    }
  },
);

it.each(['confirm', 'release'])(
  'no user can %s what a service holds, nor learn how it ended',
  async (end) => {
    const { ask, buy, record } = await aUserAndAService();
    await buy(100);
    await ask('service', '/credits/reserve', DEMO, 'job');
    const held = record()?.creditHolds;
    const unknown = { status: 404, code: 'unknown_reservation' };
    // At first as this instance remembers the record, then as the ledger says.
    expect(await ask('user', `/credits/${end}`, { reservation: 'job' })).toMatchObject(unknown);
    expect(await ask('user', `/credits/${end}`, { reservation: 'job' })).toMatchObject(unknown);
    expect(record()?.creditHolds).toEqual(held);
    expect(await ask('service', `/credits/${end}`, { reservation: 'job' })).toMatchObject({
      status: 200,
      replayed: false,
    });
    expect(await ask('user', `/credits/${end}`, { reservation: 'job' })).toMatchObject(unknown);
    expect(await ask('service', `/credits/${end}`, { reservation: 'job' })).toMatchObject({ replayed: true });
  },
);

it('a hold of a service that lost its mark, as an older build writes it, is still the service’s', async () => {
  const { ask, buy, database, record } = await aUserAndAService();
  await buy(100);
  await ask('service', '/credits/reserve', DEMO, 'job');
  const path = `customers/${UID}`;
  const stored = database.documents.get(path);
  if (stored === undefined) throw new Error('the user has a record');
  const [{ byService: _, ...unmarked }] = stored.data.creditHolds;
  database.documents.set(path, { version: 1e6, data: { ...stored.data, creditHolds: [unmarked] } });
  expect(await ask('user', '/credits/confirm', { reservation: 'job' })).toMatchObject({ status: 404 });
  expect(record()?.creditHolds).toHaveLength(1);
});

it('a service ends what its user holds, once, and the user hears how', async () => {
  const { ask, buy, entry } = await aUserAndAService();
  await buy(100);
  await ask('user', '/credits/reserve', DEMO, 'job');
  expect(await ask('service', '/credits/confirm', { reservation: 'job' })).toMatchObject({ status: 200 });
  expect(entry('settle_job')).toMatchObject({ kind: 'confirm', by: 'process:shop' });
  expect(await ask('user', '/credits/confirm', { reservation: 'job' })).toMatchObject({
    status: 200,
    replayed: true,
  });
});

it.each(['user', 'service'] as const)('an account says what it has to its %s', async (who) => {
  const { get, buy } = await aUserAndAService();
  const read = async () => {
    const headers = { authorization: `Bearer ${trusted.token}`, 'billing-user': UID };
    return JSON.parse((await get('/account', who === 'service' ? headers : {})).body);
  };
  const nothing = {
    uid: UID,
    state: 'free',
    paid: false,
    plan: null,
    planKind: null,
    status: null,
    entitlements: [],
  };
  expect(await read()).toMatchObject({ ...nothing, balance: null, allowance: null, packCredits: null });
  await buy(100);
  expect(await read()).toMatchObject({ ...nothing, balance: 100, allowance: 0, packCredits: 100 });
});

const FREE = { credits: 20, every: 'month', guests: 5, verifiedEmail: true, dailyCeiling: null } as const;
const absent = Object.assign(new Error('no such user'), { code: 'auth/user-not-found' });

/** The credits that a service finds with a user of whom Firebase Auth says this. */
async function freeFor(getUser: () => unknown) {
  let looked = 0;
  const auth = {
    verifyIdToken: () => Promise.reject(absent),
    getUser: async () => {
      looked += 1;
      return getUser();
    },
  } as unknown as AppDeps['auth'];
  const { ask, get, record } = await aUserAndAService({
    auth,
    catalog: () => ({ ...testCatalog, free: FREE }),
  });
  const headers = { authorization: `Bearer ${trusted.token}`, 'billing-user': UID };
  const { balance } = JSON.parse((await get('/credits/balance', headers)).body);
  const { status } = await ask('service', '/credits/consume', DEMO, 'one');
  return { balance, status, record: record(), looked };
}

it.each([
  ['has a mailbox that is theirs', { email: 'ada@example.com', emailVerified: true, providerData: [{}] }, 20],
  [
    'has a mailbox that nobody has seen to',
    { email: 'ada@example.com', emailVerified: false, providerData: [{}] },
    5,
  ],
  [
    'has a telephone',
    { phoneNumber: '+15550100', providerData: [{ providerId: 'phone', uid: '+15550100' }] },
    20,
  ],
  ['came by another provider', { providerData: [{ providerId: 'github.com', uid: '7' }] }, 20],
  ['is a guest', { providerData: [] }, 5],
])('a service spends the free credits of a user who %s', async (_who, user, credits) => {
  const { balance, status, record, looked } = await freeFor(() => user);
  expect([balance, status]).toEqual([credits, 200]);
  expect(record).toMatchObject({ creditsAllowance: credits - 1 });
  expect(looked, 'remembered after the first time').toBe(1);
});

it.each([
  ['is in no account', () => Promise.reject(absent)],
  [
    'is disabled',
    () => ({ email: 'ada@example.com', emailVerified: true, providerData: [], disabled: true }),
  ],
])('a service gets no free credits for a uid that %s', async (_what, getUser) => {
  expect(await freeFor(getUser)).toMatchObject({ balance: 0, status: 402, record: undefined });
});

it('a service spends what a user of a custom token was given for free, whom Firebase Auth takes for a guest', async () => {
  const free = { ...FREE, guests: 0 };
  const { ask, get, record } = await aUserAndAService({ catalog: () => ({ ...testCatalog, free }) });
  expect(await ask('service', '/credits/consume', DEMO, 'early')).toMatchObject({ status: 402 });
  expect(record()).toBeUndefined();
  expect(await ask('user', '/credits/consume', DEMO, 'own')).toMatchObject({ status: 200, balance: 19 });
  const headers = { authorization: `Bearer ${trusted.token}`, 'billing-user': UID };
  expect(JSON.parse((await get('/credits/balance', headers)).body)).toMatchObject({ balance: 19 });
  expect(await ask('service', '/credits/consume', DEMO, 'its')).toMatchObject({ status: 200, balance: 18 });
});

it('while Firebase Auth does not say who a user is, a service is told to come again', async () => {
  const away = Object.assign(new Error('away'), { code: 'app/network-error' });
  expect(await freeFor(() => Promise.reject(away))).toMatchObject({ status: 503, record: undefined });
});

it('where nothing is free, Firebase Auth is not asked', async () => {
  const auth = { getUser: () => Promise.reject(new Error('asked')) } as unknown as AppDeps['auth'];
  const { ask } = await aUserAndAService({ auth });
  expect(await ask('service', '/credits/consume', DEMO, 'one')).toMatchObject({ status: 200 });
});
