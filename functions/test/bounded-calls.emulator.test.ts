import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Firestore } from 'firebase-admin/firestore';
import { afterAll, beforeAll, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { commitCredits } from '../src/credits/commit.ts';
import { readUsage } from '../src/credits/usage.ts';
import { boundCalls } from '../src/platform/patches.ts';
import type { Uid } from '../src/store/documents.ts';
import { transact } from '../src/store/transact.ts';
import { firestore as direct } from './app/emulated-user.ts';
import { clientThrough } from './fixtures/client-through.ts';
import { type CountedClient, openCountedClient } from './fixtures/counted-client.ts';
import { aCreditHolder } from './fixtures/credit-holder.ts';
import type { FirestoreProxy } from './fixtures/firestore-proxy.ts';
import { startTcpRelay } from './fixtures/tcp-relay.ts';

/** How long users wait when the store does not answer (docs/decisions/firestore.md#retries-end). */
describe('after an outage of the store', () => {
  let client: CountedClient;
  let proxy: FirestoreProxy;
  let firestore: Firestore;

  beforeAll(async () => {
    client = await openCountedClient();
    ({ proxy, firestore } = client);
  });
  afterAll(() => client?.close());
  beforeEach(() => {
    proxy.lose = null;
    proxy.silent = false;
    proxy.calls.length = 0;
  });

  const consume = (uid: Uid, key: string = randomUUID()) =>
    commitCredits(firestore, uid, { kind: 'consume', key, feature: 'demo', cost: 1 }, Date.now());
  const balance = async (uid: Uid) => (await direct.doc(`customers/${uid}`).get()).get('creditsRemaining');
  const users = (count: number) => Promise.all(Array.from({ length: count }, () => aCreditHolder(10)));

  it('60 lost answers in a row leave nobody stuck: each is answered at once, and spends once', async () => {
    const eight = await users(8);
    await Promise.all(eight.map((uid) => consume(uid)));
    proxy.lose = { method: 'Commit', times: 60 };
    let slowest = 0;
    for (let lost = true; lost; lost = proxy.lose.times > 0) {
      const begun = performance.now();
      await Promise.all(eight.map((uid) => consume(uid)));
      slowest = Math.max(slowest, performance.now() - begun);
    }
    const rounds = 10 - Number(await balance(eight[0] as Uid));
    expect(new Set(await Promise.all(eight.map(balance)))).toEqual(new Set([10 - rounds]));
    expect(slowest).toBeLessThan(5_000);
  });

  it('every user who waited is answered within seconds of its end, and so is who comes then', async () => {
    const waiting = await users(4);
    await consume(waiting[0] as Uid);
    proxy.silent = true;
    const answers = waiting.flatMap((uid) => [consume(uid), readUsage(firestore, uid, ALWAYS, 10, null)]);
    const settled = Promise.allSettled(answers);
    await expect.poll(() => proxy.calls.length).toBeGreaterThanOrEqual(8);
    proxy.silent = false;
    const ended = performance.now();
    await settled;
    await Promise.all(waiting.map((uid) => consume(uid)));
    // The calls that were out may take their 4 s; the rest is a machine that runs other tests meanwhile.
    expect(performance.now() - ended).toBeLessThan(10_000);
    const outcomes = (await settled).filter((_, index) => index % 2 === 0);
    expect(outcomes.map(({ status }) => status)).toEqual(waiting.map(() => 'fulfilled'));
    expect(await Promise.all(waiting.map(balance))).toEqual([7, 8, 8, 8]);
  });

  it('nobody waits for as long as the store is silent: a spend, a page and a transaction end', async () => {
    const [uid] = (await users(1)) as [Uid];
    proxy.silent = true;
    const begun = performance.now();
    const ends = await Promise.allSettled([
      consume(uid),
      readUsage(firestore, uid, ALWAYS, 10, null),
      transact(firestore, (transaction) => transaction.get(firestore.doc(`customers/${uid}`))),
    ]);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(performance.now() - begun).toBeLessThan(20_000);
    proxy.silent = false;
    expect(await consume(uid)).toMatchObject({ kind: 'granted' });
  });

  it('a client that decides elsewhere how long it retries is refused, not left without a bound', () => {
    expect(() => boundCalls({} as Firestore)).toThrow('platform/patches.ts');
  });
});

/** Its connection is checked when a call begins after this long, in milliseconds. */
const CHECK_AFTER = 50;

/** A client that has been used, and what is between it and the store. */
async function anInstance({ onTestFinished }: Pick<TestContext, 'onTestFinished'>) {
  const relay = await startTcpRelay(process.env.FIRESTORE_EMULATOR_HOST ?? '');
  const firestore = clientThrough(relay, { checkAfter: CHECK_AFTER });
  onTestFinished(async () => {
    await firestore.terminate();
    await relay.close();
  });
  const uid = await aCreditHolder(100);
  const consume = async () => {
    const command = { kind: 'consume', key: randomUUID(), feature: 'demo', cost: 1 } as const;
    const begun = performance.now();
    const { kind } = await commitCredits(firestore, uid, command, Date.now());
    return { kind, took: performance.now() - begun };
  };
  await consume();
  return { relay, firestore, uid, consume };
}

/**
 * Cloud Run freezes an instance that has nothing to do; what it was connected to forgets it meanwhile
 * (docs/decisions/firestore.md#idle-connections-are-checked).
 */
describe.concurrent('an instance that was frozen', () => {
  /** A check's 1.5 s, a new connection, and a machine that runs other tests meanwhile; it was 503 after 8 s. */
  const SOON = 3_500;

  it('answers its first consume soon on connections that nobody knows any more, and spends once', async ({
    expect,
    onTestFinished,
  }) => {
    const { relay, uid, consume } = await anInstance({ onTestFinished });
    relay.forgetConnections();
    const first = await consume();
    expect(first).toMatchObject({ kind: 'granted' });
    expect(first.took).toBeLessThan(SOON);
    expect((await direct.doc(`customers/${uid}`).get()).get('creditsRemaining')).toBe(98);
    expect(relay.opened).toBe(2);
  });

  it('reads, and runs a transaction, as soon', async ({ expect, onTestFinished }) => {
    const { relay, firestore, uid } = await anInstance({ onTestFinished });
    const customer = firestore.doc(`customers/${uid}`);
    relay.forgetConnections();
    const begun = performance.now();
    const looks = [customer.get(), transact(firestore, (transaction) => transaction.get(customer))];
    for (const look of await Promise.all(looks)) expect(look.get('creditsRemaining')).toBe(99);
    expect(performance.now() - begun).toBeLessThan(SOON);
  });

  it('asks only beside a call, and not with each', async ({ expect, onTestFinished }) => {
    const { relay, consume } = await anInstance({ onTestFinished });
    const begun = performance.now();
    for (let n = 0; n < 50; n += 1) await consume();
    const most = 2 + (performance.now() - begun) / CHECK_AFTER;
    expect(relay.pings).toBeLessThanOrEqual(most);
    const asked = relay.pings;
    await sleep(4 * CHECK_AFTER);
    expect(relay.pings).toBe(asked);
    await consume();
    expect(relay.pings).toBe(asked + 1);
  });
});

const ALWAYS = { from: Date.now() - 86_400_000, to: Date.now() + 86_400_000 };
