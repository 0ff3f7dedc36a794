import { defineCatalog } from '@extension-billing/contract';
import { SCOPES } from '@extension-billing/contract/callers';
import { testInput } from '@extension-billing/contract/test/catalog';
import { DAY } from '@extension-billing/contract/time';
import { expect, it, vi } from 'vitest';
import type { AppDeps } from '../src/deps.ts';
import { aConfig } from './app/config.ts';
import { packBought } from './factories/provider-events.ts';
import { UID } from './fuzz/any-event.ts';
import { servedInMemory } from './fuzz/served.ts';

const trusted = { token: 'token-of-the-host', name: 'shop', scopes: SCOPES };
const catalog = defineCatalog({ ...testInput, entitlements: { pro: { includes: ['basic'] }, basic: {} } });
/** They have no sign-in. */
const GONE = ['nobody', 'deleted'];

/** A service that may grant, and one of its users, who may buy, too. */
async function aGranter(overrides: Partial<AppDeps> = {}) {
  const claims = new Map<string, object>();
  const auth = {
    getUser: async (uid: string) => {
      if (GONE.includes(uid)) throw Object.assign(new Error('no user'), { code: 'auth/user-not-found' });
      return { uid, customClaims: claims.get(uid) };
    },
    setCustomUserClaims: async (uid: string, after: object) => void claims.set(uid, after),
  } as unknown as AppDeps['auth'];
  const served = await servedInMemory({ trusted, auth, catalog: () => catalog, ...overrides });
  const { post, deliver, database } = served;
  const ask = async (path: string, body: object, key?: string, user = UID) => {
    const headers = { authorization: `Bearer ${trusted.token}`, 'billing-user': user };
    const named = key === undefined ? {} : { 'idempotency-key': key };
    const answer = await post(path, JSON.stringify(body), { ...headers, ...named });
    return { status: answer.status, ...(JSON.parse(answer.body) as { readonly grant: string }) };
  };
  let keys = 0;
  return {
    grant: async (body: object, key?: string, user?: string) => {
      keys += 1;
      return ask('/grants', { reason: 'a beta tester', ...body }, key ?? `key-${keys}`, user);
    },
    ask,
    revoke: (grant: string, user?: string) =>
      ask('/grants/revoke', { grant, reason: 'a slip of mine' }, undefined, user),
    buy: (credits: number) =>
      deliver(JSON.stringify({ object: 'event', ...packBought({ uid: UID }, credits) })),
    consume: (key: string) => ask('/credits/consume', { feature: 'demo_deep' }, key),
    stored: (path: string) => database.documents.get(path)?.data,
    entries: () =>
      [...database.documents].flatMap(([path, { data }]) => (path.includes('/credit_ledger/') ? [data] : [])),
    audits: () =>
      [...database.documents].flatMap(([path, { data }]) =>
        path.startsWith('billing_audit/') ? [data] : [],
      ),
    claims: () => claims.get(UID),
    store: (path: string, data: object) => database.doc(path).set(data),
    failNextTransaction: () =>
      vi
        .spyOn(database, 'runTransaction')
        .mockRejectedValueOnce(Object.assign(new Error('7 PERMISSION_DENIED'), { code: 7 })),
  };
}

it('gives credits once for each key and user, and keeps who did and why', async () => {
  const { grant, stored, audits } = await aGranter();
  const first = await grant({ credits: 100 }, 'one');
  expect(first).toMatchObject({ status: 200, ok: true, replayed: false, account: { packCredits: 100 } });
  expect(await grant({ credits: 100, reason: 'said in other words' }, 'one')).toMatchObject({
    ...{ status: 200, replayed: true, grant: first.grant, account: { packCredits: 100 } },
  });
  expect(await grant({ credits: 99 }, 'one')).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
  expect((await grant({ credits: 7 }, 'one', 'bob')).grant).not.toBe(first.grant);
  expect(stored(`customers/${UID}/credit_ledger/grant_${first.grant}`)).toMatchObject({
    ...{ kind: 'grant', byHand: true, deltaPack: 100, packCredits: 100 },
  });
  expect(audits()).toMatchObject([
    { what: 'grant', actor: 'process:shop', reason: 'a beta tester', uid: UID, credits: 100 },
    { uid: 'bob', credits: 7 },
  ]);
  // Its owner reads the ledger, and not why somebody gave what.
  expect(JSON.stringify(stored(`customers/${UID}/credit_ledger/grant_${first.grant}`))).not.toContain('beta');
});

it('gives a complimentary plan with all that it includes, and the claims say so', async () => {
  const { grant, revoke, claims } = await aGranter();
  const until = Date.now() + 30 * DAY;
  const given = await grant({ entitlement: 'pro', until });
  expect(given).toMatchObject({
    account: { paid: true, plan: null, state: 'active', entitlements: ['basic', 'pro'], balance: null },
  });
  expect(claims()).toMatchObject({ paid: true, entitlements: ['basic', 'pro'] });
  expect(await revoke(given.grant)).toMatchObject({ account: { paid: false, entitlements: [] } });
  expect(claims()).toMatchObject({ paid: false });
  expect(await grant({ entitlement: 'paid', until })).toMatchObject({
    account: { paid: true, entitlements: [] },
  });
});

it('takes back what is left of a grant, once, and nothing that was bought', async () => {
  const { grant, revoke, buy, consume } = await aGranter();
  const { grant: id } = await grant({ credits: 8, expiresInDays: 30 });
  await buy(100);
  await consume('five');
  expect(await revoke(id)).toMatchObject({ status: 200, replayed: false, account: { packCredits: 100 } });
  expect(await revoke(id)).toMatchObject({ status: 200, replayed: true, account: { packCredits: 100 } });
});

it('takes back no grant of another user, and none that never was', async () => {
  const { grant, revoke } = await aGranter();
  const { grant: id } = await grant({ credits: 8 }, 'one', 'bob');
  for (const other of [id, 'hand_0123456789abcdef0123']) {
    expect(await revoke(other)).toMatchObject({ status: 404, code: 'unknown_grant' });
  }
  expect(await revoke(id, 'bob')).toMatchObject({ status: 200, account: { packCredits: 0 } });
  expect(await revoke(id)).toMatchObject({ status: 404, code: 'unknown_grant' });
});

it('gives no more in a day than one may, whatever is asked at once, and goes on the next day', async () => {
  const start = Date.UTC(2026, 10, 22, 23, 0);
  let now = start;
  const config = aConfig({ grantLimits: { creditsPerDay: 250, grantsPerDay: 5 } });
  const { grant, stored, audits } = await aGranter({ config, now: () => now });
  const answers = await Promise.all(Array.from({ length: 5 }, () => grant({ credits: 100 })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 403, 403, 403]);
  expect(answers.find(({ status }) => status === 403)).toMatchObject({
    ...{ code: 'grant_limit_reached', detail: 'Daily grant limit is 250 credits (UTC); 50 left today.' },
  });
  expect(audits()).toHaveLength(2);
  expect(stored(`customers/${UID}`)).toMatchObject({ packCreditsRemaining: 200 });
  for (let left = 3; left > 0; left -= 1) expect((await grant({ credits: 1 })).status).toBe(200);
  expect(await grant({ entitlement: 'pro', until: start + DAY })).toMatchObject({
    ...{ status: 403, code: 'grant_limit_reached', detail: 'Daily grant limit is 5 grants (UTC).' },
  });
  now += DAY;
  expect((await grant({ credits: 250 })).status).toBe(200);
});

it('gives 60 users at once what one service asks for them', async () => {
  const config = aConfig({ grantLimits: { creditsPerDay: 6_000, grantsPerDay: 60 } });
  const { grant, audits } = await aGranter({ config });
  const users = Array.from({ length: 60 }, (_, index) => `user-${index}`);
  const answers = await Promise.all(users.map((user) => grant({ credits: 100 }, undefined, user)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(audits()).toHaveLength(60);
});

it('counts a grant once, whatever fails between its count and its transaction', async () => {
  const config = aConfig({ grantLimits: { creditsPerDay: 150, grantsPerDay: 2 } });
  const { grant, failNextTransaction, audits } = await aGranter({ config });
  failNextTransaction();
  expect((await grant({ credits: 100 }, 'one')).status).toBe(500);
  expect(audits()).toEqual([]);
  expect(await grant({ credits: 100 }, 'other')).toMatchObject({ status: 403, code: 'grant_limit_reached' });
  const both = await Promise.all([grant({ credits: 100 }, 'one'), grant({ credits: 100 }, 'one')]);
  expect(both).toMatchObject([{ replayed: false }, { replayed: true }]);
  expect(await grant({ credits: 50 }, 'rest')).toMatchObject({ status: 200, account: { packCredits: 150 } });
  expect(await grant({ credits: 100 }, 'one')).toMatchObject({ status: 200, replayed: true });
});

it('counts every amount that is asked for under one key, as each may be the one that is granted', async () => {
  const config = aConfig({ grantLimits: { creditsPerDay: 150, grantsPerDay: 2 } });
  const { grant, failNextTransaction } = await aGranter({ config });
  failNextTransaction();
  expect((await grant({ credits: 1 }, 'one')).status).toBe(500);
  expect(await grant({ credits: 1_000 }, 'one')).toMatchObject({ status: 403, code: 'grant_limit_reached' });
  expect(await grant({ credits: 1 }, 'one')).toMatchObject({ status: 200, account: { packCredits: 1 } });
});

it.each([
  [{}, 'invalid_request'],
  [{ credits: 0 }, 'invalid_request'],
  [{ credits: 1.5 }, 'invalid_request'],
  [{ credits: -1 }, 'invalid_request'],
  [{ credits: 1, reason: '  ' }, 'invalid_request'],
  [{ credits: 1, reason: 'half \ud800' }, 'invalid_request'],
  [{ credits: 1, reason: 'x'.repeat(501) }, 'invalid_request'],
  [{ credits: 1, reason: 'two\nlines' }, 'invalid_request'],
  [{ expiresInDays: 1, entitlement: 'pro', until: Date.now() + DAY }, 'invalid_request'],
  [{ entitlement: 'pro' }, 'invalid_request'],
  [{ credits: 1, until: Date.now() + DAY }, 'invalid_request'],
  [{ entitlement: 'pro', until: Date.now() - 1 }, 'invalid_request'],
  [{ entitlement: 'pro', until: 8e15 }, 'invalid_request'],
  [{ entitlement: 'gold', until: Date.now() + DAY }, 'unknown_entitlement'],
  [{ entitlement: '__proto__', until: Date.now() + DAY }, 'unknown_entitlement'],
  [{ credits: 1, actor: 'somebody else' }, 'invalid_request'],
])('refuses %j, and writes nothing', async (body, code) => {
  const { grant, audits, entries } = await aGranter();
  expect(await grant(body)).toMatchObject({ status: 400, code });
  expect([...audits(), ...entries()]).toEqual([]);
});

it('gives nothing to somebody who is not there, or is no more', async () => {
  const { grant, audits, store } = await aGranter();
  expect(await grant({ credits: 1 }, 'one', 'nobody')).toMatchObject({ status: 404, code: 'unknown_user' });
  await store('customers/deleted', { paid: false });
  await store('billing_facts/deleted', { deletedAt: new Date() });
  expect(await grant({ credits: 1 }, 'one', 'deleted')).toMatchObject({
    status: 403,
    code: 'account_deleted',
  });
  expect(audits()).toEqual([]);
});
