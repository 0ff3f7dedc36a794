import { randomUUID } from 'node:crypto';
import { testCatalog } from '@extension-billing/contract/test/catalog';
import type { Firestore } from 'firebase-admin/firestore';
import type { Stripe } from 'stripe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commitCredits } from '../src/credits/commit.ts';
import { commitEvent } from '../src/events/apply.ts';
import type { Uid } from '../src/store/documents.ts';
import type { BillingEvent } from '../src/stripe/facts.ts';
import { translateEvent } from '../src/stripe/translate.ts';
import { firestore as direct } from './app/emulated-user.ts';
import { packBought } from './factories/provider-events.ts';
import { asUid } from './fixtures/as-uid.ts';
import { type CountedClient, openCountedClient } from './fixtures/counted-client.ts';
import type { FirestoreProxy } from './fixtures/firestore-proxy.ts';

/** What an event costs in calls to Firestore, counted on the wire. */
describe('the calls of events', () => {
  let client: CountedClient;
  let proxy: FirestoreProxy;
  let firestore: Firestore;

  beforeAll(async () => {
    client = await openCountedClient();
    ({ proxy, firestore } = client);
  });
  afterAll(() => client?.close());

  const aUser = (): Uid => asUid(`events-${randomUUID()}`);

  function aPack(uid: Uid): BillingEvent {
    const translated = translateEvent(packBought({ uid }, 10) as unknown as Stripe.Event, {
      project: null,
      catalog: testCatalog,
    });
    if (translated.kind === 'ignored') throw new Error(translated.reason);
    return translated.event;
  }

  const applyTo = (store: Firestore, users: readonly Uid[]) =>
    Promise.all(
      users.map((uid) =>
        commitEvent({ firestore: store, catalog: () => testCatalog }, uid, aPack(uid), Date.now()),
      ),
    );

  async function packsOf(users: readonly Uid[]): Promise<readonly unknown[]> {
    const records = await direct.getAll(...users.map((uid) => direct.doc(`customers/${uid}`)));
    return records.map((record) => record.get('packCreditsRemaining'));
  }

  it('of one user that come at once are two for each: none waits for the locks of another', async () => {
    const uid = aUser();
    proxy.calls.length = 0;
    const events = Array.from({ length: 8 }, () => aPack(uid));
    const committed = await Promise.all(
      events.map((event) => commitEvent({ firestore, catalog: () => testCatalog }, uid, event, Date.now())),
    );
    expect(committed.every(({ kind }) => kind === 'applied')).toBe(true);
    expect(proxy.calls).toHaveLength(16);
    expect((await firestore.doc(`customers/${uid}`).get()).get('packCreditsRemaining')).toBe(80);
  });

  it('of many users at once are a read and a commit for each', async () => {
    const users = Array.from({ length: 12 }, aUser);
    proxy.calls.length = 0;
    await applyTo(firestore, users);
    expect(proxy.calls.toSorted()).toEqual([
      ...users.map(() => 'BatchGetDocuments'),
      ...users.map(() => 'Commit'),
    ]);
    expect(await packsOf(users)).toEqual(users.map(() => 10));
  });

  it('and of a consume of the same user at the same moment: neither undoes the other', async () => {
    const uid = aUser();
    await applyTo(firestore, [uid]);
    const consume = () => {
      const command = { kind: 'consume', key: randomUUID(), feature: 'demo', cost: 1 } as const;
      return commitCredits(firestore, uid, command, Date.now());
    };
    await consume();
    // It knows the record, so both are ready to commit at the same moment.
    await Promise.all([applyTo(firestore, [uid]), consume()]);
    expect(await packsOf([uid])).toEqual([10 - 1 - 1 + 10]);
  });

  it('are each applied once when the answer to their commit is lost', async () => {
    const users = Array.from({ length: 4 }, aUser);
    proxy.lose = { method: 'Commit', times: 1 };
    await applyTo(firestore, users);
    proxy.lose = null;
    expect(await packsOf(users)).toEqual(users.map(() => 10));
  });

  it('go on for a user after one that failed', async () => {
    const uid = aUser();
    const event = aPack(uid);
    const [failed, applied] = await Promise.allSettled([
      commitEvent({ firestore, catalog: () => testCatalog }, uid, { ...event, at: Number.NaN }, Date.now()),
      commitEvent({ firestore, catalog: () => testCatalog }, uid, event, Date.now()),
    ]);
    expect(failed.status).toBe('rejected');
    expect(applied).toEqual({
      status: 'fulfilled',
      value: { kind: 'applied', rightsChanged: false, toEnd: null, factsBytes: expect.any(Number) },
    });
  });
});
