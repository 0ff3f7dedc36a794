import { randomUUID } from 'node:crypto';
import type { Firestore } from 'firebase-admin/firestore';
import type { Stripe } from 'stripe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BillingEvent } from '../src/domain/events.ts';
import { parseUid, type Uid } from '../src/domain/uid.ts';
import { translateEvent } from '../src/provider/translate-event.ts';
import { commitEvent } from '../src/store/commit-event.ts';
import { packBought } from './factories/provider-events.ts';
import { clientThrough } from './fixtures/client-through.ts';
import { type FirestoreProxy, startFirestoreProxy } from './fixtures/firestore-proxy.ts';

/** What an event costs in calls to Firestore, counted on the wire. */
describe('the calls of events', () => {
  let proxy: FirestoreProxy;
  let firestore: Firestore;

  beforeAll(async () => {
    proxy = await startFirestoreProxy(process.env.FIRESTORE_EMULATOR_HOST ?? '');
    firestore = clientThrough(proxy);
    // The first call of a client also opens its channel.
    await firestore.doc('customers/warm-up').get();
  });
  afterAll(async () => {
    await firestore.terminate();
    await proxy.close();
  });

  function aUser(): Uid {
    const uid = parseUid(`events-${randomUUID()}`);
    if (uid === null) throw new Error('no uid');
    return uid;
  }

  function aPack(uid: Uid): BillingEvent {
    const translated = translateEvent(packBought({ uid }, 10) as unknown as Stripe.Event);
    if (translated.kind === 'ignored') throw new Error(translated.reason);
    return translated.event;
  }

  it('of one user that come at once are two for each: none waits for the locks of another', async () => {
    const uid = aUser();
    proxy.calls.length = 0;
    const events = Array.from({ length: 8 }, () => aPack(uid));
    const committed = await Promise.all(
      events.map((event) => commitEvent(firestore, uid, event, Date.now())),
    );
    expect(committed.every(({ kind }) => kind === 'applied')).toBe(true);
    expect(proxy.calls).toHaveLength(16);
    expect((await firestore.doc(`customers/${uid}`).get()).get('packCreditsRemaining')).toBe(80);
  });

  it('go on for a user after one that failed', async () => {
    const uid = aUser();
    const event = aPack(uid);
    const [failed, applied] = await Promise.allSettled([
      commitEvent(firestore, uid, { ...event, at: Number.NaN }, Date.now()),
      commitEvent(firestore, uid, event, Date.now()),
    ]);
    expect(failed.status).toBe('rejected');
    expect(applied).toEqual({ status: 'fulfilled', value: { kind: 'applied', paidChanged: false } });
  });
});
