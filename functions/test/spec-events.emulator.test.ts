import { PACK, PLAN } from '@extension-billing/contract/test/catalog';
import { describe, expect, it } from 'vitest';
import { auth, firestore } from './app/emulated-user.ts';
import {
  anEvent,
  invoicePaid,
  lifetimeBought,
  newId,
  packBought,
  packRefunded,
  subscriptionEvent,
} from './factories/provider-events.ts';
import { aUser, deliver } from './fixtures/service.ts';

const DAY = 86_400;
const now = (): number => Math.floor(Date.now() / 1000);

/** Each row of the specification's table "Events", by its name. */
describe('events', () => {
  describe('checkout.session.completed', () => {
    it('records a purchase: lifetime makes paid, shown by its key and active', async () => {
      const user = await aUser();
      await deliver(lifetimeBought(user));
      expect(await user.record()).toMatchObject({
        paid: true,
        plan: PLAN.lifetime,
        status: 'active',
        cancelAtPeriodEnd: false,
        currentPeriodEnd: null,
        customerId: `cus_${user.uid}`,
        trialUsed: false,
      });
      expect(await user.record()).not.toHaveProperty('creditsRemaining');
      expect(await user.paidClaim()).toBe(true);
    });

    it('grants pack credits to the user named in the session’s uid metadata', async () => {
      const user = await aUser();
      const { body } = await deliver(packBought(user, 100));
      expect(body).toEqual({ outcome: 'applied', uids: [user.uid] });
      expect(await user.credits()).toEqual({ allowance: 0, packs: 100 });
    });

    it('finds the user by client_reference_id, then by the provider customer', async () => {
      const user = await aUser();
      const metadata = { kind: 'pack', credits: '10', lookup_key: PACK.small };
      await deliver(packBought(user, 10, { metadata, client_reference_id: user.uid }));
      await deliver(packBought(user, 10, { metadata }));
      expect(await user.credits()).toEqual({ allowance: 0, packs: 20 });
    });
  });

  describe('customer.subscription.created', () => {
    it('updates the customer record', async () => {
      const user = await aUser();
      const created = now();
      const plan = { uid: user.uid, subscription: newId('sub') };
      const trial = { status: 'trialing', trial_end: created + 7 * DAY };
      await deliver(subscriptionEvent('created', plan, trial, created));
      const record = await user.record();
      expect(record).toMatchObject({
        paid: true,
        plan: PLAN.metered,
        status: 'trialing',
        cancelAtPeriodEnd: false,
        customerId: `cus_${user.uid}`,
        trialUsed: true,
      });
      expect(record?.currentPeriodEnd.seconds).toBe(created + 30 * DAY);
      expect(await user.paidClaim()).toBe(true);
    });
  });

  describe('customer.subscription.updated', () => {
    it.each([
      ['the flag cancel_at_period_end', { cancel_at_period_end: true }],
      ['a date cancel_at alone', { cancel_at: now() + 30 * DAY }],
    ])('shows a pending cancellation set by %s', async (_how, change) => {
      const user = await aUser();
      const plan = { uid: user.uid, subscription: newId('sub') };
      await deliver(subscriptionEvent('created', plan, {}, now() - 100));
      await deliver(subscriptionEvent('updated', plan, change, now()));
      expect(await user.record()).toMatchObject({ paid: true, status: 'active', cancelAtPeriodEnd: true });
    });

    it('keeps a past_due customer paid, and not an unpaid one', async () => {
      const user = await aUser();
      const plan = { uid: user.uid, subscription: newId('sub') };
      await deliver(subscriptionEvent('created', plan, {}, now() - 100));
      await deliver(subscriptionEvent('updated', plan, { status: 'past_due' }, now() - 50));
      expect(await user.record()).toMatchObject({ paid: true, status: 'past_due' });
      await deliver(subscriptionEvent('updated', plan, { status: 'unpaid' }, now()));
      expect(await user.record()).toMatchObject({ paid: false, status: 'unpaid' });
      expect(await user.paidClaim()).toBe(false);
    });

    it('takes a status and fields that nobody has heard of', async () => {
      const user = await aUser();
      const plan = { uid: user.uid, subscription: newId('sub') };
      const { status } = await deliver(
        subscriptionEvent('updated', plan, { status: 'hibernating', mood: {} }),
      );
      expect(status).toBe(200);
      expect(await user.record()).toMatchObject({ paid: false, status: 'hibernating' });
    });

    it('an older change that arrives late changes nothing', async () => {
      const user = await aUser();
      const plan = { uid: user.uid, subscription: newId('sub') };
      await deliver(subscriptionEvent('updated', plan, { cancel_at_period_end: true }, now()));
      await deliver(subscriptionEvent('updated', plan, {}, now() - 60));
      await deliver(subscriptionEvent('created', plan, { status: 'incomplete' }, now() + 60));
      expect(await user.record()).toMatchObject({ status: 'active', cancelAtPeriodEnd: true });
    });
  });

  describe('customer.subscription.deleted', () => {
    it('updates the record; remaining allowance dropped, packs kept', async () => {
      const user = await aUser();
      const plan = { uid: user.uid, subscription: newId('sub') };
      await deliver(packBought(user, 100));
      await deliver(subscriptionEvent('created', plan));
      await deliver(invoicePaid(plan));
      await deliver(subscriptionEvent('deleted', plan));
      expect(await user.record()).toMatchObject({ paid: false, plan: null, status: 'canceled' });
      expect(await user.credits()).toEqual({ allowance: 0, packs: 100 });
      expect(await user.paidClaim()).toBe(false);
    });

    it('is final: nothing that arrives later brings the subscription back', async () => {
      const user = await aUser();
      const plan = { uid: user.uid, subscription: newId('sub') };
      await deliver(subscriptionEvent('deleted', plan, {}, now() - 60));
      await deliver(subscriptionEvent('updated', plan, {}, now()));
      await deliver(invoicePaid(plan, { period: 1 }));
      expect(await user.record()).toMatchObject({ paid: false, status: 'canceled' });
      expect(await user.credits()).toEqual({ allowance: 0, packs: 0 });
    });
  });

  describe('invoice.paid', () => {
    it('resets the allowance (packs kept, fresh allowance), also before its subscription is known', async () => {
      const user = await aUser();
      const plan = { uid: user.uid, subscription: newId('sub') };
      await deliver(packBought(user, 100));
      await deliver(invoicePaid(plan));
      expect(await user.credits()).toEqual({ allowance: 1000, packs: 100 });
    });
  });

  describe('charge.refunded', () => {
    it('claws back pack credits, clamped at 0', async () => {
      const user = await aUser();
      const purchase = { uid: user.uid, paymentIntent: newId('pi') };
      await deliver(packBought(purchase, 100));
      await user.consume('demo_deep');
      await deliver(packRefunded(purchase, 500));
      expect(await user.credits()).toEqual({ allowance: 0, packs: 0 });
    });

    it('of a lifetime plan revokes it when full, not when partial', async () => {
      const user = await aUser();
      const paymentIntent = newId('pi');
      const metadata = { uid: user.uid, kind: 'lifetime', lookup_key: PLAN.lifetime };
      const refunded = (amount: number) =>
        anEvent('charge.refunded', {
          id: newId('ch'),
          object: 'charge',
          amount: 19_900,
          amount_refunded: amount,
          payment_intent: paymentIntent,
          metadata,
        });
      await deliver(lifetimeBought({ uid: user.uid, paymentIntent }));
      await deliver(refunded(5_000));
      expect(await user.record()).toMatchObject({ paid: true, plan: PLAN.lifetime });
      await deliver(refunded(19_900));
      expect(await user.record()).toMatchObject({ paid: false, plan: null });
      expect(await user.paidClaim()).toBe(false);
    });

    it('of a subscription’s charge, which carries no metadata, is ignored', async () => {
      const charge = { id: newId('ch'), object: 'charge', amount: 1900, amount_refunded: 1900, metadata: {} };
      expect((await deliver(anEvent('charge.refunded', charge))).body).toEqual({ outcome: 'ignored' });
    });
  });

  describe('rules', () => {
    it('1: a marker per event is stored, and a replayed event is a duplicate with no change', async () => {
      const user = await aUser();
      const event = packBought(user, 100);
      const answers = await Promise.all(Array.from({ length: 8 }, () => deliver(event)));
      const outcomes = answers.map(({ body }) => body.outcome).sort();
      expect(outcomes).toEqual(['applied', ...Array.from({ length: 7 }, () => 'duplicate')]);
      expect(await user.credits()).toEqual({ allowance: 0, packs: 100 });
    });

    it('an event of nobody is ignored and leaves no marker', async () => {
      const event = subscriptionEvent('updated', { uid: '', subscription: newId('sub') });
      expect((await deliver(event)).body).toEqual({ outcome: 'ignored' });
      expect((await firestore.doc(`billing_events/${event.id}`).get()).exists).toBe(false);
    });

    it('an event of a uid that cannot be one is ignored, though its customer is known', async () => {
      const user = await aUser();
      await deliver(packBought(user, 10));
      const event = packBought({ uid: '../../etc', customer: `cus_${user.uid}` }, 10);
      expect((await deliver(event)).body).toEqual({ outcome: 'ignored' });
      expect((await firestore.doc(`billing_events/${event.id}`).get()).exists).toBe(false);
    });

    it('the claim is merged with the user’s other claims', async () => {
      const user = await aUser();
      await auth.setCustomUserClaims(user.uid, { role: 'editor' });
      await deliver(lifetimeBought(user));
      expect((await auth.getUser(user.uid)).customClaims).toEqual({ role: 'editor', paid: true });
    });

    it('a claim that a crash left behind is fixed by the next delivery of the same event', async () => {
      const user = await aUser();
      const event = lifetimeBought(user);
      await deliver(event);
      await auth.setCustomUserClaims(user.uid, {});
      await deliver(event);
      expect(await user.paidClaim()).toBe(true);
    });

    it('a user without an account still gets the record', async () => {
      const uid = newId('imported');
      const { status } = await deliver(packBought({ uid }, 100));
      expect(status).toBe(200);
      expect((await firestore.doc(`customers/${uid}`).get()).data()).toMatchObject({ creditsRemaining: 100 });
    });
  });
});
