import { SCOPES } from '@extension-billing/contract/callers';
import type { Catalog } from '@extension-billing/contract/catalog';
import { testCatalog } from '@extension-billing/contract/test/catalog';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packBought } from './factories/provider-events.ts';
import { UID } from './fuzz/any-event.ts';
import { servedInMemory } from './fuzz/served.ts';

const trusted = { token: 'token-of-the-host', name: 'shop', scopes: SCOPES };
const chat = {
  hold: 20,
  overdraw: 5,
  rates: { input: { credits: 1, per: 1_000 }, output: { credits: 4, per: 1_000 } },
};
const catalog: Catalog = { ...testCatalog, features: { ...testCatalog.features, chat, fixed: { hold: 3 } } };

/** A user with credits, and a service that charges them; the clock stands still unless it is moved. */
async function aServiceWith(credits: number) {
  let now = Date.UTC(2026, 0, 1);
  let inForce = catalog;
  const { post, get, deliver, database } = await servedInMemory({
    trusted,
    now: () => now,
    catalog: () => inForce,
  });
  const ofService = { authorization: `Bearer ${trusted.token}`, 'billing-user': UID };
  const send = async (headers: object, path: string, body: object, key?: string) => {
    const named = key === undefined ? {} : { 'idempotency-key': key };
    const answer = await post(path, JSON.stringify(body), { ...headers, ...named });
    return { status: answer.status, ...JSON.parse(answer.body) };
  };
  const service = (path: string, body: object, key?: string) => send(ofService, path, body, key);
  const user = (path: string, body: object, key?: string) => send({}, path, body, key);
  if (credits > 0) {
    await deliver(JSON.stringify({ object: 'event', ...packBought({ uid: UID }, credits) }));
  }
  return {
    service,
    user,
    hold: (key = 'job', fields: object = {}) =>
      service('/credits/reserve', { feature: 'chat', ...fields }, key),
    settle: (fields: object, reservation = 'job') => service('/credits/settle', { reservation, ...fields }),
    pass: (ms: number) => {
      now += ms;
    },
    sell: (features: Catalog['features']) => {
      inForce = { ...catalog, features };
    },
    balance: async () => JSON.parse((await get('/credits/balance')).body).balance as number,
    entry: (id: string) => database.documents.get(`customers/${UID}/credit_ledger/${id}`)?.data,
    record: () => database.documents.get(`customers/${UID}`)?.data,
    calls: async (work: () => Promise<unknown>) => {
      const seen: string[] = [];
      const around = database.around;
      database.around = { ...around, before: async (call) => void seen.push(call) };
      await work();
      database.around = around;
      return seen;
    },
  };
}

const ABOVE = { status: 409, code: 'amount_above_hold' };

describe('a hold for what is measured', () => {
  it('is of the whole hold, or of what a service names, and the rest stays free', async () => {
    const { hold, balance } = await aServiceWith(100);
    expect(await hold('whole')).toMatchObject({ status: 200, cost: 20, balance: 80 });
    expect(await hold('some', { amount: 7 })).toMatchObject({ status: 200, cost: 7, balance: 73 });
    expect(await hold('units', { units: { input: 1_500, output: 1_000 } })).toMatchObject({
      status: 200,
      cost: 6,
    });
    expect(await hold('nothing', { units: { input: 0 } })).toMatchObject({ status: 200, cost: 1 });
    expect(await balance()).toBe(66);
  });

  it('is never of more than the catalogue says', async () => {
    const { hold, balance, entry } = await aServiceWith(100);
    expect(await hold('job', { amount: 21 })).toMatchObject(ABOVE);
    expect(await hold('job', { units: { output: 5_001 } })).toMatchObject(ABOVE);
    expect(await hold('job', { feature: 'demo_deep', amount: 6 })).toMatchObject(ABOVE);
    expect(entry('reserve_job')).toBeUndefined();
    expect(await balance()).toBe(100);
  });

  it('under the same key for another amount is another request', async () => {
    const { hold } = await aServiceWith(100);
    await hold('job', { amount: 7 });
    expect(await hold('job', { amount: 7 })).toMatchObject({ status: 200, replayed: true });
    expect(await hold('job', { amount: 8 })).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
  });

  it('asked for again says whether it is held still', async () => {
    const { hold, settle, service, pass } = await aServiceWith(100);
    for (const key of ['open', 'settled', 'released', 'late']) await hold(key);
    expect(await hold('open')).not.toHaveProperty('hasEnded');
    await settle({ amount: 1 }, 'settled');
    await service('/credits/release', { reservation: 'released' });
    for (const key of ['settled', 'released']) {
      expect(await hold(key)).toMatchObject({ status: 200, replayed: true, hasEnded: true });
    }
    pass(901_000);
    expect(await hold('late')).toMatchObject({ status: 200, replayed: true, hasEnded: true });
  });

  it.each([
    ['an amount and units', { amount: 1, units: { input: 1 } }],
    ['an unknown unit', { units: { images: 1 } }],
    ['a unit that every object has', { units: { constructor: 1 } }],
    ['half a unit', { units: { input: 0.5 } }],
    ['no credits', { amount: 0 }],
  ])('with %s is a 400', async (_what, fields) => {
    const { hold, entry } = await aServiceWith(100);
    expect(await hold('job', fields)).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(entry('reserve_job')).toBeUndefined();
  });

  it('is the only way to such a feature: nobody consumes it', async () => {
    const { service, user, hold, balance } = await aServiceWith(100);
    const refused = { status: 400, code: 'hold_required' };
    expect(await user('/credits/consume', { feature: 'chat' }, 'a')).toMatchObject(refused);
    expect(await service('/credits/consume', { feature: 'chat' }, 'b')).toMatchObject(refused);
    expect(await user('/credits/reserve', { feature: 'fixed' }, 'c')).toMatchObject({ status: 200, cost: 3 });
    expect(await user('/credits/confirm', { reservation: 'c' })).toMatchObject({ status: 200, cost: 3 });
    await hold('d');
    expect(await service('/credits/confirm', { reservation: 'd' })).toMatchObject({ status: 200, cost: 20 });
    expect(await balance()).toBe(77);
  });
});

describe('a settle', () => {
  it.each(['half of a pair \ud83d', '\udc00', '\u001b[31m', ''])(
    'with the label %j, which is no text, is a 400, and can be sent again without it',
    async (label) => {
      const { hold, settle, balance } = await aServiceWith(100);
      await hold();
      expect(await settle({ amount: 5, label })).toMatchObject({ status: 400, code: 'invalid_request' });
      expect(await settle({ amount: 5, label: 'a model 🚀' })).toMatchObject({ status: 200, cost: 5 });
      expect(await balance()).toBe(95);
    },
  );

  it('takes what was used, frees the rest, and keeps a receipt', async () => {
    const { hold, settle, entry, balance, record } = await aServiceWith(100);
    await hold();
    const units = { input: 1_200, output: 1_700 };
    expect(await settle({ units, label: 'small-model' })).toMatchObject({
      ...{ status: 200, ok: true, cost: 8, shortfall: 0, balance: 92, replayed: false },
    });
    expect(await balance()).toBe(92);
    expect(record()).not.toHaveProperty('creditHolds');
    const receipt = {
      label: 'small-model',
      lines: [
        { unit: 'input', quantity: 1_200, credits: 1, per: 1_000 },
        { unit: 'output', quantity: 1_700, credits: 4, per: 1_000 },
      ],
    };
    expect(entry('settle_job')).toMatchObject({
      ...{ kind: 'confirm', cost: 8, deltaPack: -8, by: 'process:shop', receipt },
    });
  });

  it('of an amount needs no rates, and of nothing takes nothing', async () => {
    const { service, settle, hold, entry, balance } = await aServiceWith(100);
    await service('/credits/reserve', { feature: 'fixed' }, 'job');
    expect(await settle({ amount: 2 })).toMatchObject({ status: 200, cost: 2, balance: 98 });
    expect(entry('settle_job')).not.toHaveProperty('receipt');
    await hold('free');
    expect(await settle({ amount: 0 }, 'free')).toMatchObject({ status: 200, cost: 0, balance: 98 });
    expect(await balance()).toBe(98);
  });

  it('ends a reservation once: asked again, with whatever amount, it answers what was recorded', async () => {
    const { hold, settle, service, balance } = await aServiceWith(100);
    await hold();
    const first = await settle({ amount: 4 });
    expect(await settle({ amount: 19 })).toEqual({ ...first, replayed: true });
    expect(await settle({ units: { images: 1 } })).toEqual({ ...first, replayed: true });
    expect(await service('/credits/confirm', { reservation: 'job' })).toEqual({ ...first, replayed: true });
    expect(await service('/credits/release', { reservation: 'job' })).toMatchObject({
      ...{ status: 409, code: 'reservation_confirmed' },
    });
    expect(await balance()).toBe(96);
  });

  it('takes once, however many ask at once and for whatever', async () => {
    const { hold, settle, balance } = await aServiceWith(100);
    await hold();
    const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => settle({ amount: index })));
    expect(new Set(answers.map(({ status, cost }) => `${status} ${cost}`)).size).toBe(1);
    expect(answers.filter(({ replayed }) => replayed === false)).toHaveLength(1);
    expect(await balance()).toBe(100 - answers[0].cost);
  });

  it('after a release, or too late, takes nothing and says so', async () => {
    const { hold, settle, service, pass, balance } = await aServiceWith(100);
    await hold('gone');
    await service('/credits/release', { reservation: 'gone' });
    expect(await settle({ amount: 4 }, 'gone')).toMatchObject({ status: 409, code: 'reservation_released' });
    await hold('late', { expiresInSeconds: 60 });
    // The record's own clock runs ahead by a millisecond with each write.
    pass(61_000);
    expect(await balance()).toBe(100);
    expect(await settle({ amount: 4 }, 'late')).toMatchObject({ status: 409, code: 'reservation_expired' });
    expect(await settle({ amount: 4 }, 'late')).toMatchObject({ status: 409, code: 'reservation_expired' });
    expect(await settle({ amount: 4 }, 'never')).toMatchObject({ status: 404, code: 'unknown_reservation' });
    expect(await balance()).toBe(100);
  });

  it('of more than is held takes of what is there as far as the overdraw goes', async () => {
    const { hold, settle, balance } = await aServiceWith(100);
    await hold('job', { amount: 10 });
    expect(await settle({ amount: 15 })).toMatchObject({ status: 200, cost: 15, shortfall: 0, balance: 85 });
    expect(await balance()).toBe(85);
  });

  it('of more than that is refused whole, and what is held stays held', async () => {
    const { hold, settle, entry, balance } = await aServiceWith(100);
    await hold('job', { amount: 10 });
    expect(await settle({ amount: 16 })).toMatchObject(ABOVE);
    expect(await settle({ units: { images: 1 } })).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(entry('settle_job')).toBeUndefined();
    expect(await balance()).toBe(90);
    expect(await settle({ amount: 10 })).toMatchObject({ status: 200, cost: 10, replayed: false });
  });

  it('never takes what another reservation holds, nor what nobody owns: that is a shortfall', async () => {
    const { hold, settle, entry, balance } = await aServiceWith(22);
    await hold('job', { amount: 10 });
    await hold('other', { amount: 10 });
    expect(await settle({ amount: 15 })).toMatchObject({ status: 200, cost: 12, shortfall: 3, balance: 0 });
    expect(entry('settle_job')).toMatchObject({ cost: 15, shortfall: 3, deltaPack: -12 });
    expect(await settle({ amount: 10 }, 'other')).toMatchObject({ cost: 10, shortfall: 0, balance: 0 });
    expect(await balance()).toBe(0);
  });

  it('goes by the rates in force when it comes', async () => {
    const { hold, settle, sell } = await aServiceWith(100);
    await hold();
    sell({ ...catalog.features, chat: { ...chat, rates: { input: { credits: 9, per: 1_000 } } } });
    expect(await settle({ units: { input: 1_000 } })).toMatchObject({ status: 200, cost: 9 });
  });

  it('goes by what the hold was made with where the catalogue lost a rate, an overdraw or the feature', async () => {
    const { hold, settle, sell } = await aServiceWith(100);
    await hold();
    await hold('second');
    await hold('third', { amount: 10 });
    sell({ ...catalog.features, chat: { hold: 20, rates: { input: { credits: 9, per: 1_000 } } } });
    expect(await settle({ units: { words: 1 } })).toMatchObject({ status: 400 });
    expect(await settle({ units: { input: 1_000, output: 1_000 } })).toMatchObject({ status: 200, cost: 13 });
    sell({});
    expect(await settle({ units: { output: 6_000 } }, 'second')).toMatchObject({ status: 200, cost: 24 });
    expect(await settle({ amount: 16 }, 'third')).toMatchObject(ABOVE);
    expect(await settle({ amount: 15 }, 'third')).toMatchObject({ status: 200, cost: 15 });
  });

  it('is one commit where the record was seen lately', async () => {
    const { hold, settle, calls } = await aServiceWith(100);
    await hold();
    expect(await calls(() => settle({ units: { input: 5_000 } }))).toEqual(['commit']);
  });

  it('of an account without credits takes nothing, and there is nothing to settle', async () => {
    const { hold, settle, record } = await aServiceWith(0);
    expect(await hold()).toMatchObject({ status: 200, cost: 0, expiresAt: null });
    expect(await settle({ amount: 4 })).toMatchObject({ status: 200, balance: null, cost: 0 });
    expect(record()).toBeUndefined();
  });

  it.each([
    ['neither amount nor units', {}],
    ['both', { amount: 1, units: { input: 1 } }],
    ['a negative amount', { amount: -1 }],
    ['half a credit', { amount: 0.5 }],
    ['a unit that every object has', { units: { constructor: 1 } }],
    ['no name for a unit', { units: { 'in put': 1 } }],
    ['an empty label', { amount: 1, label: '' }],
    ['a label of a page', { amount: 1, label: 'x'.repeat(121) }],
    ['a label that moves a cursor', { amount: 1, label: 'a\u001b[2Jb' }],
    ['a receipt of its own', { amount: 1, receipt: {} }],
  ])('with %s is a 400, and nothing ends', async (_what, fields) => {
    const { hold, settle, entry } = await aServiceWith(100);
    await hold();
    expect(await settle(fields)).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(entry('settle_job')).toBeUndefined();
  });
});

describe('a client', () => {
  it('never names an amount: whatever it sends, it holds and pays what the catalogue says', async () => {
    const { user, settle, hold, balance, record } = await aServiceWith(1_000);
    await hold();
    const amount = fc.option(fc.integer({ min: -5, max: 30 }), { nil: undefined });
    const units = fc.option(fc.dictionary(fc.constantFrom('input', 'output', 'images'), fc.nat(9_000)), {
      nil: undefined,
    });
    let count = 0;
    await fc.assert(
      fc.asyncProperty(amount, units, fc.constantFrom('chat', 'demo'), async (given, used, feature) => {
        count += 1;
        const key = `c${count}`;
        const named = {
          ...(given !== undefined && { amount: given }),
          ...(used !== undefined && { units: used }),
        };
        const before = await balance();
        const held = await user('/credits/reserve', { feature, ...named }, key);
        const isPlain = Object.keys(named).length === 0;
        expect(held).toMatchObject(isPlain ? { status: 200 } : { status: 400, code: 'invalid_request' });
        for (const reservation of [key, 'job']) {
          const settled = await user('/credits/settle', { reservation, ...named });
          expect(settled).toMatchObject({ status: 403, code: 'caller_not_allowed', scope: 'hold' });
          const confirmed = await user('/credits/confirm', { reservation, ...named });
          const isOwn = isPlain && reservation === key;
          expect(confirmed.status).toBe(isOwn ? 200 : isPlain ? 404 : 400);
        }
        const price = feature === 'chat' ? 20 : 1;
        expect(await balance()).toBe(isPlain ? before - price : before);
      }),
      { numRuns: 40 },
    );
    expect(record()?.creditHolds).toHaveLength(1);
    expect(await settle({ amount: 2 })).toMatchObject({ status: 200, cost: 2 });
  });
});
