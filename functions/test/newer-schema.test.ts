import { PLAN } from '@extension-billing/contract/test/catalog';
import { Timestamp } from 'firebase-admin/firestore';
import { describe, expect, it } from 'vitest';
import { SCHEMA_VERSION } from '../src/store/documents.ts';
import { newId, packBought, subscriptionEvent } from './factories/provider-events.ts';
import { UID } from './fuzz/any-event.ts';
import { type Served, servedInMemory } from './fuzz/served.ts';

const CUSTOMER = `customers/${UID}`;
const FACTS = `billing_facts/${UID}`;
const NEWER = 3;

const key = () => ({ 'idempotency-key': newId('key') });
const consume = (served: Served) => served.post('/credits/consume', '{"feature":"demo"}', key());
const stored = ({ database }: Served, path: string) => database.documents.get(path)?.data;
const deliver = (served: Served, event: object) =>
  served.deliver(JSON.stringify({ object: 'event', ...event }));

/** A user with 100 pack credits, whose documents a later build has written since. */
async function aUserOfANewerBuild(over: Readonly<Record<string, object>>): Promise<Served> {
  const served = await servedInMemory();
  await deliver(served, packBought({ uid: UID }));
  for (const [path, fields] of Object.entries(over)) {
    const before = served.database.documents.get(path);
    served.database.documents.set(path, { data: { ...before?.data, ...fields }, version: 1_000 });
  }
  return served;
}

describe('a record of a form that only a newer build knows', () => {
  const REQUESTS: readonly [string, (served: Served) => ReturnType<typeof consume>][] = [
    ['a consume', consume],
    ['a reserve', (served) => served.post('/credits/reserve', '{"feature":"demo"}', key())],
    ['an event', (served) => deliver(served, packBought({ uid: UID }))],
    ['a checkout', (served) => served.post('/billing/checkout', `{"lookup_key":"${PLAN.monthly}"}`)],
  ];

  it.each(REQUESTS)('is left alone by %s: 503, to be tried again, and the log says why', async (_, ask) => {
    const served = await aUserOfANewerBuild({
      [CUSTOMER]: { schemaVersion: NEWER },
      [FACTS]: { schemaVersion: NEWER },
    });
    const before = new Map(served.database.documents);
    const answer = await ask(served);
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([503, 'temporarily_unavailable']);
    expect(served.database.documents).toEqual(before);
    expect(served.log.lines.at(-1)).toMatchObject({ severity: 'error', event: 'newer_record' });
  });

  it('is left alone by an event also where only the facts are newer', async () => {
    const served = await aUserOfANewerBuild({ [FACTS]: { schemaVersion: NEWER } });
    expect((await deliver(served, packBought({ uid: UID }))).status).toBe(503);
  });

  it('is still shown, as far as it is understood', async () => {
    const served = await aUserOfANewerBuild({ [CUSTOMER]: { schemaVersion: NEWER } });
    const { status, body } = await served.get('/credits/balance');
    expect([status, JSON.parse(body)]).toEqual([200, { balance: 100, allowance: 0 }]);
  });
});

describe('a record of this form or an older one', () => {
  it('says its form once an event has written it', async () => {
    const served = await aUserOfANewerBuild({});
    for (const path of [CUSTOMER, FACTS])
      expect(stored(served, path)).toMatchObject({ schemaVersion: SCHEMA_VERSION });
  });

  it('without a form is taken as it is, and gets one with its next event', async () => {
    const served = await aUserOfANewerBuild({
      [CUSTOMER]: { schemaVersion: null },
      [FACTS]: { schemaVersion: null },
    });
    expect((await consume(served)).status).toBe(200);
    expect((await deliver(served, packBought({ uid: UID }))).status).toBe(200);
    expect(stored(served, CUSTOMER)).toMatchObject({
      packCreditsRemaining: 199,
      schemaVersion: SCHEMA_VERSION,
    });
    expect(stored(served, FACTS)).toMatchObject({ schemaVersion: SCHEMA_VERSION });
  });

  it('keeps the fields that a build of later added, through consumes and events', async () => {
    const later = { addedLater: { at: Timestamp.fromMillis(5) } };
    const served = await aUserOfANewerBuild({ [CUSTOMER]: later, [FACTS]: later });
    await consume(served);
    await deliver(served, subscriptionEvent('created', { uid: UID, subscription: newId('sub') }));
    expect(stored(served, CUSTOMER)).toMatchObject({ ...later, paid: true, packCreditsRemaining: 99 });
    expect(stored(served, FACTS)).toMatchObject(later);
  });

  it('keeps what a build of later added inside the facts and the spending', async () => {
    const served = await aUserOfANewerBuild({});
    const { facts, books } = stored(served, FACTS) ?? {};
    served.database.documents.set(FACTS, {
      data: {
        ...stored(served, FACTS),
        facts: { ...facts, addedLater: 5 },
        books: { ...books, addedLater: 6 },
      },
      version: 1_000,
    });
    await deliver(served, subscriptionEvent('created', { uid: UID, subscription: newId('sub') }));
    expect(stored(served, FACTS)).toMatchObject({ facts: { addedLater: 5 }, books: { addedLater: 6 } });
  });
});
