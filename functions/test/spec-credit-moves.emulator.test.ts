import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { firestore } from './app/emulated-user.ts';
import {
  invoicePaid,
  newId,
  packBought,
  packRefunded,
  subscriptionEvent,
} from './factories/provider-events.ts';
import { aUser, deliver } from './fixtures/service.ts';

/** Each row of the specification's table "Credit balance moves", by its name. */
describe('credit balance moves', () => {
  describe('pack purchase: checkout completed (pack lookup_key)', () => {
    it('increases pack credits by the pack’s credits metadata amount', async () => {
      const user = await aUser();
      expect((await deliver(packBought(user, 100))).body).toEqual({ outcome: 'applied', uids: [user.uid] });
      await deliver(packBought(user, 500));
      expect(await user.credits()).toEqual({ allowance: 0, packs: 600 });
      expect(await user.record()).toMatchObject({ paid: false, plan: null });
    });

    it('writes a marker; repeat delivery of the same event id changes nothing', async () => {
      const user = await aUser();
      const event = packBought(user, 100);
      await deliver(event);
      const before = await user.record();
      expect((await firestore.doc(`billing_events/${event.id}`).get()).data()).toMatchObject({
        type: 'checkout.session.completed',
        uids: [user.uid],
        outcome: 'applied',
      });
      expect(await deliver(event)).toMatchObject({ status: 200, body: { outcome: 'duplicate' } });
      expect(await user.record()).toEqual(before);
    });

    it('grants nothing while the payment is unpaid, and once it has succeeded', async () => {
      const user = await aUser();
      const unpaid = packBought(user, 100, { id: 'cs_delayed', payment_status: 'unpaid' });
      await deliver(unpaid);
      expect(await user.record()).not.toHaveProperty('creditsRemaining');
      const paid = { ...unpaid, id: newId('evt'), type: 'checkout.session.async_payment_succeeded' };
      await deliver({ ...paid, data: { object: { ...paid.data.object, payment_status: 'paid' } } });
      expect(await user.credits()).toEqual({ allowance: 0, packs: 100 });
    });
  });

  describe('invoice.paid on the metered plan', () => {
    it('replaces the allowance at the first invoice and each renewal, never stacks it, keeps packs', async () => {
      const user = await aUser();
      const plan = { uid: user.uid, subscription: newId('sub') };
      await deliver(packBought(user, 100));
      await deliver(subscriptionEvent('created', plan));
      await deliver(invoicePaid(plan));
      expect(await user.credits()).toEqual({ allowance: 1000, packs: 100 });
      await user.consume('demo_deep');
      expect(await user.credits()).toEqual({ allowance: 995, packs: 100 });
      await deliver(invoicePaid(plan, { period: 1, monthlyCredits: 800 }));
      expect(await user.credits()).toEqual({ allowance: 800, packs: 100 });
      expect(await user.record()).toMatchObject({ monthlyCredits: 800 });
    });

    it('takes a renewal for newer than the first invoice, also where they share their times', async () => {
      const user = await aUser();
      const plan = { uid: user.uid, subscription: newId('sub') };
      const first = invoicePaid(plan, { invoice: newId('in_b') });
      const renewal = { id: newId('in_a'), billing_reason: 'subscription_cycle' };
      await deliver(first);
      await user.consume('demo_deep');
      await deliver({ ...first, id: newId('evt'), data: { object: { ...first.data.object, ...renewal } } });
      expect(await user.credits()).toEqual({ allowance: 1000, packs: 0 });
      await deliver({ ...first, id: newId('evt') });
      expect(await user.credits()).toEqual({ allowance: 1000, packs: 0 });
    });

    it('ignores an older invoice, the same invoice again, and one that bills no period', async () => {
      const user = await aUser();
      const plan = { uid: user.uid, subscription: newId('sub') };
      await deliver(subscriptionEvent('created', plan));
      await deliver(invoicePaid(plan, { period: 1, invoice: 'in_second' }));
      await user.consume('demo');
      await deliver(invoicePaid(plan, { period: 0 }));
      await deliver(invoicePaid(plan, { period: 1, invoice: 'in_second' }));
      await deliver(invoicePaid(plan, { period: 2, reason: 'subscription_update' }));
      expect(await user.credits()).toEqual({ allowance: 999, packs: 0 });
    });
  });

  describe('POST /credits/consume with a balance greater than 0', () => {
    it('decreases the balance: the allowance is spent first, then pack credits, in one transaction with its ledger entry', async () => {
      const user = await aUser();
      const plan = { uid: user.uid, subscription: newId('sub') };
      await deliver(packBought(user, 100));
      await deliver(invoicePaid(plan, { monthlyCredits: 3 }));
      const key = randomUUID();
      const { status, body } = await user.consume('demo_deep', key);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        ok: true,
        balance: 98,
        allowance: 0,
        packCredits: 98,
        cost: 5,
        replayed: false,
      });
      expect((await user.ledger()).get(`consume_${key}`)).toMatchObject({
        kind: 'consume',
        feature: 'demo_deep',
        cost: 5,
        outcome: 'granted',
        deltaAllowance: -3,
        deltaPack: -2,
        allowance: 0,
        packCredits: 98,
      });
      expect(await user.balance()).toEqual({ balance: 98, allowance: 0 });
      expect(await user.credits()).toEqual({ allowance: 0, packs: 98 });
    });
  });

  describe('POST /credits/consume with an exhausted balance', () => {
    it('leaves the balance unchanged and answers 402, also when it is lower than the cost', async () => {
      const user = await aUser();
      await deliver(packBought(user, 3));
      const { status, body } = await user.consume('demo_deep');
      expect([status, body.code]).toEqual([402, 'credits_exhausted']);
      expect(body).toMatchObject({ balance: 3, allowance: 0, replayed: false });
      expect(await user.credits()).toEqual({ allowance: 0, packs: 3 });
    });
  });

  describe('POST /credits/consume retried with the same idempotency key', () => {
    it('replays the recorded outcome and does not spend again', async () => {
      const user = await aUser();
      await deliver(packBought(user, 10));
      const first = await user.consume('demo', 'one-key');
      await user.consume('demo');
      const again = await user.consume('demo', 'one-key');
      expect(again.status).toBe(200);
      expect(again.body).toEqual({ ...first.body, replayed: true });
      expect(await user.credits()).toEqual({ allowance: 0, packs: 8 });
    });

    it('replays a recorded 402, also after a top-up', async () => {
      const user = await aUser();
      await deliver(packBought(user, 3));
      await user.consume('demo_deep', 'refused');
      await deliver(packBought(user, 100));
      const again = await user.consume('demo_deep', 'refused');
      expect(again.status).toBe(402);
      expect(again.body).toMatchObject({ code: 'credits_exhausted', balance: 3, replayed: true });
      expect(await user.credits()).toEqual({ allowance: 0, packs: 103 });
    });

    it('refuses the same key for another feature with 422', async () => {
      const user = await aUser();
      await deliver(packBought(user, 10));
      await user.consume('demo', 'shared');
      const other = await user.consume('demo_deep', 'shared');
      expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
      expect(await user.credits()).toEqual({ allowance: 0, packs: 9 });
    });
  });

  describe('charge.refunded on a pack charge', () => {
    it('claws pack credits back in proportion, by what is new of the cumulative amount', async () => {
      const user = await aUser();
      const purchase = { uid: user.uid, paymentIntent: newId('pi') };
      await deliver(packBought(purchase, 100));
      await deliver(packRefunded(purchase, 100));
      expect(await user.credits()).toEqual({ allowance: 0, packs: 80 });
      await deliver(packRefunded(purchase, 250));
      expect(await user.credits()).toEqual({ allowance: 0, packs: 50 });
      expect([...(await user.ledger()).keys()]).toEqual(
        expect.arrayContaining([
          `grant_${purchase.paymentIntent}`,
          `clawback_ch_${purchase.paymentIntent}_100`,
          `clawback_ch_${purchase.paymentIntent}_250`,
        ]),
      );
    });

    it('of a pack that was spent is taken from the packs that were there when it was refunded', async () => {
      const user = await aUser();
      const first = { uid: user.uid, paymentIntent: newId('pi') };
      await deliver(packBought(first, 10));
      await deliver(packBought(user, 100));
      await user.consume('demo_deep');
      await deliver(packRefunded(first, 500, 10));
      expect(await user.credits()).toEqual({ allowance: 0, packs: 95 });
    });

    it('is clamped at 0 when the credits were spent, and takes nothing from a pack bought later', async () => {
      const user = await aUser();
      const first = { uid: user.uid, paymentIntent: newId('pi') };
      await deliver(packBought(first, 10));
      await user.consume('demo_deep');
      await deliver(packRefunded(first, 500, 10));
      expect(await user.credits()).toEqual({ allowance: 0, packs: 0 });
      await deliver(packBought(user, 100));
      expect(await user.credits()).toEqual({ allowance: 0, packs: 100 });
    });

    it('may come before its purchase: the grant is then net', async () => {
      const user = await aUser();
      const purchase = { uid: user.uid, paymentIntent: newId('pi') };
      await deliver(packRefunded(purchase, 250));
      await deliver(packBought(purchase, 100));
      expect(await user.credits()).toEqual({ allowance: 0, packs: 50 });
    });
  });

  describe('subscription cancelled', () => {
    it('drops the remaining allowance and keeps pack credits', async () => {
      const user = await aUser();
      const plan = { uid: user.uid, subscription: newId('sub') };
      await deliver(subscriptionEvent('created', plan));
      await deliver(invoicePaid(plan));
      await deliver(packBought(user, 100));
      await deliver(subscriptionEvent('deleted', plan));
      expect(await user.credits()).toEqual({ allowance: 0, packs: 100 });
      expect(await user.record()).toMatchObject({ paid: false, status: 'canceled', monthlyCredits: 0 });
      expect((await user.ledger()).get(`drop_${plan.subscription}`)).toMatchObject({
        kind: 'drop',
        deltaAllowance: -1000,
        deltaPack: 0,
      });
    });
  });

  describe('rules', () => {
    it('1: unused allowance does not roll over; pack credits never expire', async () => {
      const user = await aUser();
      const plan = { uid: user.uid, subscription: newId('sub') };
      await deliver(packBought(user, 100));
      for (const period of [0, 1, 2]) await deliver(invoicePaid(plan, { period }));
      expect(await user.credits()).toEqual({ allowance: 1000, packs: 100 });
    });

    it('2: a consume only ever lowers a balance', async () => {
      const user = await aUser();
      await deliver(packBought(user, 20));
      const balances: number[] = [];
      for (let n = 0; n < 6; n += 1) balances.push(Number((await user.consume('demo_deep')).body.balance));
      expect(balances).toEqual([15, 10, 5, 0, 0, 0]);
    });

    it('3: an account without credits is told ok and nothing is written', async () => {
      const user = await aUser();
      const { status, body } = await user.consume('demo');
      expect(status).toBe(200);
      expect(body).toEqual({
        ok: true,
        balance: null,
        allowance: null,
        packCredits: null,
        cost: 0,
        replayed: false,
        updatedAt: null,
      });
      expect(await user.record()).toBeUndefined();
      expect((await user.ledger()).size).toBe(0);
      expect(await user.balance()).toEqual({ balance: 0, allowance: 0 });
    });
  });
});

describe('at once', () => {
  it('the same key 50 times spends once and answers the same body', async () => {
    const user = await aUser();
    await deliver(packBought(user, 100));
    const answers = await Promise.all(Array.from({ length: 50 }, () => user.consume('demo', 'same')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const bodies = answers.map(({ body }) => JSON.stringify({ ...body, replayed: null }));
    expect(new Set(bodies).size).toBe(1);
    expect(answers.filter(({ body }) => body.replayed === false)).toHaveLength(1);
    expect(await user.credits()).toEqual({ allowance: 0, packs: 99 });
  });

  it('50 keys on a balance of 30 are 30 successes and 20 refusals', async () => {
    const user = await aUser();
    await deliver(packBought(user, 30));
    const answers = await Promise.all(Array.from({ length: 50 }, () => user.consume('demo')));
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect([count(200), count(402)]).toEqual([30, 20]);
    expect(await user.credits()).toEqual({ allowance: 0, packs: 0 });
    const ledger = [...(await user.ledger()).values()];
    expect(ledger.filter(({ outcome }) => outcome === 'granted')).toHaveLength(30);
    expect(ledger.filter(({ outcome }) => outcome === 'exhausted')).toHaveLength(20);
  });
});
