import { LEGACY_LIFETIME_PLAN } from '@extension-billing/contract/customer';
import { Timestamp } from 'firebase-admin/firestore';
import { describe, expect, it } from 'vitest';
import { invoicePaid, packBought, subscriptionEvent } from './factories/provider-events.ts';
import written from './fixtures/records-of-form-1.json' with { type: 'json' };
import { UID } from './fuzz/any-event.ts';
import { type Served, servedInMemory } from './fuzz/served.ts';

/**
 * Accounts as the build before credits by the clock stored them (commit a9e9ffc; the keys of its plans are those that
 * the tests sell now), made by its own tests: this build reads them, spends of them and renews them.
 */

const AT = Date.parse(written.at);
const PLAN = { uid: UID, subscription: 'sub_1' };
const SPENDER = 'a subscriber who spends, holds and had a part of a pack refunded';

async function served(name: keyof typeof written.accounts): Promise<Served> {
  const service = await servedInMemory({ now: () => AT });
  for (const [path, data] of Object.entries(written.accounts[name])) {
    service.database.documents.set(path, { data: asStored(data) as object, version: 1 });
  }
  return service;
}

/** Instants are Timestamps in the documents. */
function asStored(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asStored);
  if (typeof value !== 'object' || value === null) return value;
  if ('at' in value && typeof value.at === 'string') return Timestamp.fromMillis(Date.parse(value.at));
  return Object.fromEntries(Object.entries(value).map(([field, held]) => [field, asStored(held)]));
}

const record = ({ database }: Served) => database.documents.get(`customers/${UID}`)?.data;
const balance = async (service: Served) => JSON.parse((await service.get('/credits/balance')).body);
const consume = (service: Served, key: string, feature = 'demo') =>
  service.post('/credits/consume', JSON.stringify({ feature }), { 'idempotency-key': key });

async function send(service: Served, ...events: readonly object[]): Promise<void> {
  for (const event of events) {
    const { status, body } = await service.deliver(JSON.stringify({ object: 'event', ...event }));
    expect(status, body).toBe(200);
  }
}

/** What the ledger adds up to is what the record says. */
function expectToAddUp(service: Served): void {
  const entries = [...service.database.documents].filter(([path]) => path.includes('/credit_ledger/'));
  const sum = (field: string) => entries.reduce((total, [, { data }]) => total + Number(data[field] ?? 0), 0);
  const { creditsAllowance, packCreditsRemaining } = record(service) ?? {};
  expect([sum('deltaAllowance'), sum('deltaPack')]).toEqual([creditsAllowance, packCreditsRemaining]);
}

describe('an account that the build before this one wrote', () => {
  it('is spent of, keeps its keys and holds, and is renewed, in the form that it has', async () => {
    const service = await served(SPENDER);
    expect(await balance(service)).toEqual({ balance: 1030, allowance: 980 });
    expect(JSON.parse((await consume(service, 'spent_0', 'demo_deep')).body)).toMatchObject({
      replayed: true,
    });
    expect(JSON.parse((await consume(service, 'new', 'demo')).body)).toMatchObject({
      balance: 1029,
      cost: 1,
    });
    const confirmed = await service.post('/credits/confirm', '{"reservation":"held"}');
    expect(JSON.parse(confirmed.body)).toMatchObject({ ok: true, balance: 1029 });
    expectToAddUp(service);
    await send(service, subscriptionEvent('updated', PLAN), invoicePaid(PLAN, { period: 1 }));
    expect(await balance(service)).toEqual({ balance: 1050, allowance: 1000 });
    expect(record(service)).toMatchObject({ paid: true, planKind: 'subscription', schemaVersion: 1 });
    expect(record(service)).not.toHaveProperty('allowances');
    expectToAddUp(service);
    await send(service, subscriptionEvent('deleted', PLAN));
    expect(await balance(service)).toEqual({ balance: 50, allowance: 0 });
    expectToAddUp(service);
  });

  it('owns its lifetime plan, under the one name that there was', async () => {
    const service = await served('the owner of a lifetime plan, whose subscription has ended');
    await send(service, packBought({ uid: UID }));
    const owned = { paid: true, plan: LEGACY_LIFETIME_PLAN, planKind: 'lifetime', entitledUntil: null };
    expect(record(service)).toMatchObject({ ...owned, creditsAllowance: 0, packCreditsRemaining: 100 });
    expectToAddUp(service);
  });

  it('that has spent all is still refused, and goes on with the next pack', async () => {
    const service = await served('a buyer of packs who has spent all');
    expect([(await consume(service, 'refused')).status, (await consume(service, 'other')).status]).toEqual([
      402, 402,
    ]);
    await send(service, packBought({ uid: UID }));
    expect((await consume(service, 'then')).status).toBe(200);
    expect(await balance(service)).toEqual({ balance: 99, allowance: 0 });
    expectToAddUp(service);
  });

  it('on trial begins its paid period with a whole allowance', async () => {
    const service = await served('a subscriber on trial');
    expect((await consume(service, 'on_trial', 'demo_deep')).status).toBe(200);
    await send(service, subscriptionEvent('updated', PLAN), invoicePaid(PLAN, { period: 1 }));
    expect(record(service)).toMatchObject({ paid: true, status: 'active', trialUsed: true });
    expect(await balance(service)).toEqual({ balance: 1000, allowance: 1000 });
    expectToAddUp(service);
  });
});
