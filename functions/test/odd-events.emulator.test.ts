import { describe, expect, it } from 'vitest';
import { firestore } from './app/emulated-user.ts';
import { anEvent, newId, packBought, packRefunded } from './factories/provider-events.ts';
import { aUser, deliver } from './fixtures/service.ts';

describe('an event as Stripe does not send it', () => {
  it('that names its object in no way that can be kept is ignored, and the account goes on', async () => {
    const user = await aUser();
    for (const customer of ['a/b', '__x__', '']) {
      const { body } = await deliver(packBought({ uid: user.uid, customer }));
      expect(body).toEqual({ outcome: 'ignored' });
    }
    await deliver(packBought(user, 100));
    expect(await user.credits()).toEqual({ allowance: 0, packs: 100 });
  });

  it('is a 400 when its time or its id can be none', async () => {
    const user = await aUser();
    const event = packBought(user, 100);
    for (const over of [{ created: 253_402_300_800 }, { created: -1 }, { id: 'a/b' }, { id: '__x__' }]) {
      const { status, body } = await deliver({ ...event, ...over });
      expect([status, body.code]).toEqual([400, 'invalid_request']);
    }
    expect(await user.record()).toBeUndefined();
  });
});

describe('a refund of a charge that names no product', () => {
  const refundOf = (uid: string, payment_intent: string) =>
    anEvent('charge.refunded', {
      ...packRefunded({ uid, paymentIntent: payment_intent }, 500).data.object,
      metadata: {},
    });

  it('counts for the purchase that is known by its payment intent', async () => {
    const user = await aUser();
    const paymentIntent = newId('pi');
    await deliver(packBought({ uid: user.uid, paymentIntent }, 100));
    const { body } = await deliver(refundOf(user.uid, paymentIntent));
    expect(body).toEqual({ outcome: 'applied', uids: [user.uid] });
    expect(await user.credits()).toEqual({ allowance: 0, packs: 0 });
  });

  it('and is ignored, without a marker, where it is of anything else', async () => {
    const user = await aUser();
    await deliver(packBought(user, 100));
    const event = refundOf(user.uid, newId('pi'));
    expect((await deliver(event)).body).toEqual({ outcome: 'ignored' });
    expect((await firestore.doc(`billing_events/${event.id}`).get()).exists).toBe(false);
    expect(await user.credits()).toEqual({ allowance: 0, packs: 100 });
  });
});
