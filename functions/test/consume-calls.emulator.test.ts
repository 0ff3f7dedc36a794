import { randomUUID } from 'node:crypto';
import type { Firestore } from 'firebase-admin/firestore';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ConsumeDecision } from '../src/credits/commands.ts';
import { commitCredits } from '../src/credits/commit.ts';
import { readUsage } from '../src/credits/usage.ts';
import type { Uid } from '../src/store/documents.ts';
import { firestore as direct } from './app/emulated-user.ts';
import { serveApp } from './app/serve-app.ts';
import { storeKey } from './app/service-key.ts';
import { clientThrough } from './fixtures/client-through.ts';
import { type CountedClient, openCountedClient } from './fixtures/counted-client.ts';
import { aCreditHolder } from './fixtures/credit-holder.ts';
import type { FirestoreProxy } from './fixtures/firestore-proxy.ts';

const READ = 'BatchGetDocuments';
const COMMIT = 'Commit';

/** What a consume costs in calls to Firestore, counted on the wire (docs/decisions/credits.md#one-lane-per-user). */
describe('the calls of a consume', () => {
  let client: CountedClient;
  let proxy: FirestoreProxy;
  let firestore: Firestore;

  beforeAll(async () => {
    client = await openCountedClient();
    ({ proxy, firestore } = client);
  });
  afterAll(() => client?.close());
  beforeEach(() => {
    proxy.delayMs = 0;
    proxy.lose = null;
  });

  const consume = (uid: Uid, key: string = randomUUID(), on = firestore): Promise<ConsumeDecision> =>
    commitCredits(on, uid, { kind: 'consume', key, feature: 'demo', cost: 1 }, Date.now());

  async function callsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
    proxy.calls.length = 0;
    await work();
    return [...proxy.calls];
  }

  it('are two when the record has not been seen, and one when it has', async () => {
    const uid = await aCreditHolder(10);
    expect(await callsOf(() => consume(uid))).toEqual([READ, COMMIT]);
    expect(await callsOf(() => consume(uid))).toEqual([COMMIT]);
    expect(await callsOf(() => consume(uid))).toEqual([COMMIT]);
  });

  it('are no more where a service asks by its key: the key is not read for each', async () => {
    const uid = await aCreditHolder(10);
    const key = await storeKey(direct, { scopes: ['consume'], lastUsedAt: Date.now() });
    const base = await serveApp({ firestore });
    const asked = async () => {
      const headers = {
        authorization: `Bearer ${key}`,
        'billing-user': uid,
        'idempotency-key': randomUUID(),
      };
      const json = { ...headers, 'content-type': 'application/json' };
      const body = JSON.stringify({ feature: 'demo' });
      expect((await fetch(`${base}/credits/consume`, { method: 'POST', headers: json, body })).status).toBe(
        200,
      );
    };
    expect(await callsOf(asked)).toEqual([READ, READ, COMMIT]);
    expect(await callsOf(asked)).toEqual([COMMIT]);
    expect(await callsOf(asked)).toEqual([COMMIT]);
  });

  describe('over HTTP, at whichever instance', () => {
    const clients: Firestore[] = [];
    let headers: Readonly<Record<string, string>>;

    beforeAll(async () => {
      const key = await storeKey(direct, { scopes: ['consume', 'read'], lastUsedAt: Date.now() });
      headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    });
    afterEach(() => Promise.all(clients.splice(0).map((client) => client.terminate())));

    /** An instance that remembers nobody; it has read the key. */
    async function newInstance(): Promise<string> {
      const firestore = clientThrough(proxy);
      clients.push(firestore);
      const base = await serveApp({ firestore });
      await fetch(`${base}/credits/balance`, { headers: { ...headers, 'billing-user': 'nobody' } });
      return base;
    }

    /** The version that the answer brought. */
    async function consumeAt(base: string, uid: Uid, carried: string): Promise<string> {
      const answer = await fetch(`${base}/credits/consume`, {
        method: 'POST',
        headers: {
          ...headers,
          ...{ 'billing-user': uid, 'billing-version': carried, 'idempotency-key': randomUUID() },
        },
        body: JSON.stringify({ feature: 'demo' }),
      });
      expect(answer.status).toBe(200);
      return answer.headers.get('billing-version') ?? '';
    }

    async function versionOf(base: string, uid: Uid): Promise<string> {
      const answer = await fetch(`${base}/credits/balance`, { headers: { ...headers, 'billing-user': uid } });
      return answer.headers.get('billing-version') ?? '';
    }

    const creditsOf = async (uid: Uid): Promise<unknown> =>
      (await direct.doc(`customers/${uid}`).get()).get('creditsRemaining');

    it('are one for each where the client carries what the last answer brought', async () => {
      const bases = await Promise.all([1, 2, 3, 4].map(newInstance));
      const users = await Promise.all(Array.from({ length: 12 }, () => aCreditHolder(10)));
      const carried = new Map<Uid, string>();
      for (const uid of users) carried.set(uid, await versionOf(bases[0] ?? '', uid));
      for (const base of [...bases, ...bases].slice(0, 5)) {
        const calls = await callsOf(async () => {
          for (const uid of users) carried.set(uid, await consumeAt(base, uid, carried.get(uid) ?? ''));
        });
        expect(calls.filter((call) => call === COMMIT)).toHaveLength(users.length);
        // After some seconds an instance reads the service's key again, beside the requests.
        expect(calls.length - users.length).toBeLessThanOrEqual(1);
      }
      expect(await Promise.all(users.map(creditsOf))).toEqual(users.map(() => 5));
    });

    it.each<[string, (adas: string, bobs: string) => string]>([
      ['another user’s version', (_, bobs) => bobs],
      ['a version that was changed', (adas) => `${adas.slice(0, -4)}AAAA`],
      ['no version at all', () => 'what is this'],
      ['far too much', (adas) => adas.repeat(30)],
    ])('are one look and one commit where it carries %s', async (_, carriedOf) => {
      const [ada, bob] = [await aCreditHolder(10), await aCreditHolder(1_000)];
      const first = await newInstance();
      const sent = carriedOf(await versionOf(first, ada), await versionOf(first, bob));
      const base = await newInstance();
      expect(await callsOf(() => consumeAt(base, ada, sent))).toEqual([READ, COMMIT]);
      expect(await creditsOf(ada)).toBe(9);
    });

    it('are a failed commit, a look and a commit where it carries an old version', async () => {
      const ada = await aCreditHolder(10);
      const [first, second] = [await newInstance(), await newInstance()];
      const old = await versionOf(first, ada);
      await consumeAt(first, ada, old);
      expect(await callsOf(() => consumeAt(second, ada, old))).toEqual([COMMIT, READ, COMMIT]);
      expect(await creditsOf(ada)).toBe(8);
    });
  });

  it('are a fresh read, and the entry of the refusal, when the balance is exhausted', async () => {
    const uid = await aCreditHolder(1);
    await consume(uid);
    expect(await callsOf(() => consume(uid))).toEqual([READ, COMMIT]);
    await direct.doc(`customers/${uid}`).update({ creditsRemaining: 5, packCreditsRemaining: 5 });
    expect(await consume(uid)).toMatchObject({ kind: 'granted', entry: { packCredits: 4 } });
  });

  it('of 50 at once on one user are at most three, with two commits', async () => {
    const uid = await aCreditHolder(100);
    const calls = await callsOf(() => Promise.all(Array.from({ length: 50 }, () => consume(uid))));
    expect(calls.length).toBeLessThanOrEqual(3);
    expect(calls.filter((call) => call === COMMIT).length).toBeLessThanOrEqual(2);
    expect((await direct.doc(`customers/${uid}`).get()).get('creditsRemaining')).toBe(50);
  });

  it('are one for a reserve, a confirm and a release of a user seen lately, and a fresh read for a refusal', async () => {
    const uid = await aCreditHolder(7);
    const reserve = (key: string, cost: number) =>
      commitCredits(
        firestore,
        uid,
        { kind: 'reserve', key, feature: 'demo', cost, lifetime: 60_000 },
        Date.now(),
      );
    const settle = (reservation: string, as: 'confirm' | 'release') =>
      commitCredits(firestore, uid, { kind: as, reservation }, Date.now());
    expect(await callsOf(() => reserve('a', 1))).toEqual([READ, COMMIT]);
    expect(await callsOf(() => reserve('b', 1))).toEqual([COMMIT]);
    expect(await callsOf(() => settle('a', 'confirm'))).toEqual([COMMIT]);
    expect(await callsOf(() => settle('b', 'release'))).toEqual([COMMIT]);
    expect(await callsOf(() => reserve('c', 7))).toEqual([READ, COMMIT]);
    expect(await callsOf(() => settle('c', 'confirm'))).toEqual([READ]);
  });

  it('share one commit, whatever they ask: 40 requests of all kinds at once', async () => {
    const uid = await aCreditHolder(100);
    await consume(uid);
    const calls = await callsOf(() =>
      Promise.all(
        Array.from({ length: 10 }, (_, n) => [
          consume(uid),
          commitCredits(
            firestore,
            uid,
            { kind: 'reserve', key: `k${n}`, feature: 'demo', cost: 1, lifetime: 60_000 },
            Date.now(),
          ),
          commitCredits(
            firestore,
            uid,
            { kind: n < 5 ? 'confirm' : 'release', reservation: `k${n}` },
            Date.now(),
          ),
          consume(uid),
        ]).flat(),
      ),
    );
    expect(calls.filter((call) => call === COMMIT).length).toBeLessThanOrEqual(2);
    expect(calls.length).toBeLessThanOrEqual(3);
    const record = await direct.doc(`customers/${uid}`).get();
    expect(record.get('creditsRemaining')).toBe(100 - 1 - 20 - 5);
    expect(record.get('creditHolds')).toBeUndefined();
  });

  it('of a confirm end as a replay when the answer to the commit is lost: taken once', async () => {
    const uid = await aCreditHolder(10);
    await commitCredits(
      firestore,
      uid,
      { kind: 'reserve', key: 'job', feature: 'demo', cost: 4, lifetime: 60_000 },
      Date.now(),
    );
    proxy.lose = { method: COMMIT, times: 3 };
    const decision = await commitCredits(firestore, uid, { kind: 'confirm', reservation: 'job' }, Date.now());
    expect(decision).toMatchObject({ kind: 'replayed', entry: { kind: 'confirm', packCredits: 6 } });
    expect((await direct.doc(`customers/${uid}`).get()).get('creditsRemaining')).toBe(6);
  });

  it('are refused beyond 50 open reservations, and the same key may be tried again', async () => {
    const uid = await aCreditHolder(100);
    const reserve = (key: string) =>
      commitCredits(
        firestore,
        uid,
        { kind: 'reserve', key, feature: 'demo', cost: 1, lifetime: 60_000 },
        Date.now(),
      );
    await Promise.all(Array.from({ length: 50 }, (_, n) => reserve(`k${n}`)));
    expect(await reserve('more')).toEqual({ kind: 'too_many' });
    await commitCredits(firestore, uid, { kind: 'release', reservation: 'k0' }, Date.now());
    expect(await reserve('more')).toMatchObject({ kind: 'granted' });
  });

  it('are one query for a page of usage, however long the ledger is', async () => {
    const uid = await aCreditHolder(1_000);
    const range = { from: Date.now() - 86_400_000, to: Date.now() + 60_000 };
    const page = () => readUsage(firestore, uid, range, 20, null);
    await Promise.all(Array.from({ length: 10 }, () => consume(uid)));
    expect(await callsOf(page)).toEqual(['RunQuery']);
    await Promise.all(Array.from({ length: 200 }, () => consume(uid)));
    expect(await callsOf(page)).toEqual(['RunQuery']);
    const { entries, next } = await page();
    expect([entries.length, next === null]).toEqual([20, false]);
  });

  it('end as a replay when the answer to the commit is lost: spent once', async () => {
    const uid = await aCreditHolder(10);
    await consume(uid);
    proxy.lose = { method: COMMIT, times: 3 };
    const decision = await consume(uid, 'lost');
    expect(decision).toMatchObject({ kind: 'replayed', entry: { outcome: 'granted', packCredits: 8 } });
    expect((await direct.doc(`customers/${uid}`).get()).get('creditsRemaining')).toBe(8);
  });

  it('of four instances on one user lose nothing and spend nothing twice', async () => {
    const uid = await aCreditHolder(60);
    const others = [clientThrough(proxy), clientThrough(proxy), clientThrough(proxy)];
    try {
      const instances = [firestore, ...others];
      const work = Array.from({ length: 80 }, (_, n) =>
        consume(uid, `k${n}`, instances[n % instances.length]),
      );
      const kinds = (await Promise.all(work)).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === 'granted')).toHaveLength(60);
      expect(kinds.filter((kind) => kind === 'exhausted')).toHaveLength(20);
      const ledger = await direct.collection(`customers/${uid}/credit_ledger`).get();
      expect(ledger.size).toBe(80);
      expect((await direct.doc(`customers/${uid}`).get()).get('creditsRemaining')).toBe(0);
    } finally {
      await Promise.all(others.map((instance) => instance.terminate()));
    }
  });
});
