import { randomUUID } from 'node:crypto';
import type { Firestore } from 'firebase-admin/firestore';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ConsumeDecision } from '../src/credits/commands.ts';
import { commitCredits } from '../src/credits/commit.ts';
import type { Uid } from '../src/store/documents.ts';
import { groupRead } from '../src/store/group-read.ts';
import { firestore as direct } from './app/emulated-user.ts';
import { type CountedClient, openCountedClient } from './fixtures/counted-client.ts';
import { aCreditHolder } from './fixtures/credit-holder.ts';
import type { FirestoreProxy } from './fixtures/firestore-proxy.ts';

const READ = 'BatchGetDocuments';
const COMMIT = 'Commit';
const CREDITS = 10;

/** Consumes of different users that are ready in the same moment (docs/decisions/credits.md). */
describe('consumes of many users at once', () => {
  let client: CountedClient;
  let proxy: FirestoreProxy;
  let firestore: Firestore;
  let users: readonly Uid[];

  beforeAll(async () => {
    client = await openCountedClient();
    ({ proxy, firestore } = client);
  });
  afterAll(() => client?.close());
  beforeEach(async () => {
    users = await Promise.all(Array.from({ length: 8 }, () => aCreditHolder(CREDITS)));
    await Promise.all(users.map((uid) => consume(uid)));
    proxy.calls.length = 0;
  });

  const consume = (uid: Uid, key: string = randomUUID()): Promise<ConsumeDecision> =>
    commitCredits(firestore, uid, { kind: 'consume', key, feature: 'demo', cost: 1 }, Date.now());

  const consumeAll = (key?: string): Promise<readonly ConsumeDecision[]> =>
    Promise.all(users.map((uid) => consume(uid, key)));

  async function balances(): Promise<readonly unknown[]> {
    const records = await direct.getAll(...users.map((uid) => direct.doc(`customers/${uid}`)));
    return records.map((record) => record.get('creditsRemaining'));
  }
  const all = (balance: number): readonly number[] => users.map(() => balance);

  it('go in one commit, each with its own balance and entry', async () => {
    const decisions = await consumeAll();
    expect(proxy.calls).toEqual([COMMIT]);
    expect(decisions.map(({ kind }) => kind)).toEqual(users.map(() => 'granted'));
    expect(await balances()).toEqual(all(CREDITS - 2));
    // What is remembered of each is its version: the next commit needs no read either.
    await consumeAll();
    expect(proxy.calls).toEqual([COMMIT, COMMIT]);
  });

  it('each go by themselves when one of them has been overtaken, which alone reads again', async () => {
    const [first] = users;
    await direct.doc(`customers/${first}`).update({ creditsRemaining: 100, packCreditsRemaining: 100 });
    const decisions = await consumeAll();
    expect(decisions.map(({ kind }) => kind)).toEqual(users.map(() => 'granted'));
    expect(await balances()).toEqual([99, ...all(CREDITS - 2).slice(1)]);
    expect(proxy.calls.filter((call) => call === READ)).toHaveLength(1);
    expect(proxy.calls.filter((call) => call === COMMIT)).toHaveLength(1 + users.length + 1);
  });

  it('fail together once for one who is overtaken again and again, and then no more', async () => {
    const [first] = users;
    const overtake = () =>
      direct.doc(`customers/${first}`).update({ creditsRemaining: 100, packCreditsRemaining: 100 });
    await overtake();
    await consumeAll();
    proxy.calls.length = 0;
    await overtake();
    await consumeAll();
    // The others in one; the one alone, whose version was old, and then on what it is.
    expect(proxy.calls.filter((call) => call === COMMIT)).toHaveLength(1 + 2);
    expect(await balances()).toEqual([99, ...all(CREDITS - 3).slice(1)]);
  });

  it('are each spent once when the answer to their commit is lost', async () => {
    proxy.lose = { method: COMMIT, times: 3 };
    const decisions = await consumeAll('lost');
    proxy.lose = null;
    expect(decisions.map(({ kind }) => kind)).toEqual(users.map(() => 'replayed'));
    expect(await balances()).toEqual(all(CREDITS - 2));
  });
});

/** Looks at records of different users that are asked for in the same moment (docs/decisions/credits.md). */
describe('balances of many users at once', () => {
  let client: CountedClient;
  beforeAll(async () => {
    client = await openCountedClient();
  });
  afterAll(() => client?.close());

  const look = async (uid: string) =>
    (await groupRead(client.firestore, client.firestore.doc(`customers/${uid}`))).get('creditsRemaining');

  it('are read in one call, each its own, and a record that several ask for once', async () => {
    const users = await Promise.all([11, 12, 13].map(aCreditHolder));
    client.proxy.calls.length = 0;
    const asked = [...users, `nobody-${randomUUID()}`, ...users];
    expect(await Promise.all(asked.map(look))).toEqual([11, 12, 13, undefined, 11, 12, 13]);
    expect(client.proxy.calls).toEqual([READ]);
  });

  it('are as they are now: who asks after an answer is read again', async () => {
    const [uid] = await Promise.all([11].map(aCreditHolder));
    expect(await look(String(uid))).toBe(11);
    await direct.doc(`customers/${uid}`).update({ creditsRemaining: 5 });
    expect(await look(String(uid))).toBe(5);
  });

  it('go in calls of 16, and fail together', async () => {
    client.proxy.calls.length = 0;
    await Promise.all(Array.from({ length: 40 }, (_, n) => look(`nobody-${n}`)));
    expect(client.proxy.calls).toEqual([READ, READ, READ]);
    const two = ['one', 'two'].map((uid) => groupRead(broken, client.firestore.doc(`customers/${uid}`)));
    expect(await Promise.allSettled(two)).toEqual([
      { status: 'rejected', reason: new Error('no store') },
      { status: 'rejected', reason: new Error('no store') },
    ]);
  });
});

const broken = { getAll: () => Promise.reject(new Error('no store')) } as unknown as Firestore;
