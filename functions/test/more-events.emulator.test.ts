import { PACK, PLAN } from '@extension-billing/contract/test/catalog';
import { describe, expect, it } from 'vitest';
import { EVENT_TYPES } from '../src/stripe/translate.ts';
import { provider } from './app/suite.ts';
import { anEvent, invoicePaid, newId, packBought, subscriptionEvent } from './factories/provider-events.ts';
import { aBuyer } from './fixtures/buyer.ts';
import { aUser, deliver } from './fixtures/service.ts';
import * as simulator from './fixtures/simulator.ts';

const stripe = provider();
const DAY = 86_400;
const HOUR = 3_600;
const now = (): number => Math.floor(Date.now() / 1000);

/** A session of a delayed payment method: complete, and paid days later or never. */
function delayed(uid: string) {
  const id = newId('cs');
  const paymentIntent = newId('pi');
  const tell = (type: string, payment_status: string) => ({
    ...packBought({ uid, paymentIntent }, 100, { id, payment_status }),
    type: `checkout.session.${type}`,
  });
  return {
    completed: tell('completed', 'unpaid'),
    succeeded: tell('async_payment_succeeded', 'paid'),
    failed: tell('async_payment_failed', 'unpaid'),
  };
}

describe('a delayed payment', () => {
  it('grants when the money comes, not when the checkout ends', async () => {
    const user = await aUser();
    const { completed, succeeded } = delayed(user.uid);
    await deliver(completed);
    expect(await user.credits()).toEqual({ allowance: 0, packs: 0 });
    await deliver(succeeded);
    expect(await user.credits()).toEqual({ allowance: 0, packs: 100 });
  });

  it('grants once, whichever event comes first, and however often', async () => {
    const user = await aUser();
    const { completed, succeeded } = delayed(user.uid);
    for (const event of [succeeded, completed, succeeded, { ...succeeded, id: newId('evt') }])
      await deliver(event);
    expect(await user.credits()).toEqual({ allowance: 0, packs: 100 });
  });

  it('that fails grants nothing', async () => {
    const user = await aUser();
    const { completed, failed } = delayed(user.uid);
    await deliver(completed);
    expect((await deliver(failed)).status).toBe(200);
    expect(await user.credits()).toEqual({ allowance: 0, packs: 0 });
  });
});

describe('a dispute', () => {
  it('acts as a full refund while it is open; a won one restores', async () => {
    const user = await aBuyer();
    await user.buy(PACK.small);
    await simulator.dispute((await user.charge()).id);
    await simulator.delivered();
    expect(await user.credits()).toEqual({ allowance: 0, packs: 0 });
    const { data } = await stripe.disputes.list({ charge: (await user.charge()).id });
    await stripe.disputes.update(data[0]?.id ?? '', {
      evidence: { uncategorized_text: 'winning_evidence' },
      submit: true,
    });
    await simulator.delivered();
    expect(await user.credits()).toEqual({ allowance: 0, packs: 100 });
    const kinds = [...(await user.ledger()).values()].map(({ kind }) => kind).sort();
    expect(kinds).toEqual(['clawback', 'grant', 'restore']);
  });

  it('that is lost takes a lifetime plan away, with its claim', async () => {
    const user = await aBuyer();
    await user.buy(PLAN.lifetime);
    await simulator.delivered();
    expect(await user.paidClaim()).toBe(true);
    await simulator.dispute((await user.charge()).id, 'lost');
    await simulator.delivered();
    expect(await user.record()).toMatchObject({ paid: false, plan: null });
    expect(await user.paidClaim()).toBe(false);
  });

  it('takes credits in proportion to the part of the money that it is about', async () => {
    const user = await aBuyer();
    await user.buy(PACK.small);
    await simulator.dispute((await user.charge()).id, undefined, 200);
    await simulator.delivered();
    expect(await user.credits()).toEqual({ allowance: 0, packs: 60 });
    await simulator.dispute((await user.charge()).id, 'lost');
    await simulator.delivered();
    expect(await user.credits()).toEqual({ allowance: 0, packs: 60 });
  });

  it('that begins as an inquiry takes nothing until it takes the money', async () => {
    const user = await aBuyer();
    await user.buy(PACK.small);
    const { id } = await user.charge();
    await simulator.dispute(id, 'inquiry');
    await simulator.delivered();
    expect(await user.credits()).toEqual({ allowance: 0, packs: 100 });
    await simulator.dispute(id, 'escalated');
    await simulator.delivered();
    expect(await user.credits()).toEqual({ allowance: 0, packs: 0 });
    await simulator.dispute(id, 'won');
    await simulator.delivered();
    expect(await user.credits()).toEqual({ allowance: 0, packs: 100 });
  });

  it('that is only asked about ends without a trace', async () => {
    const user = await aBuyer();
    await user.buy(PACK.small);
    const { id } = await user.charge();
    await simulator.dispute(id, 'inquiry');
    await simulator.dispute(id, 'lost');
    await simulator.delivered();
    expect(await user.credits()).toEqual({ allowance: 0, packs: 100 });
  });

  it('that was prevented has given the money back, as a lost one', async () => {
    const user = await aBuyer();
    await user.buy(PACK.small);
    await simulator.dispute((await user.charge()).id, 'prevented');
    await simulator.delivered();
    expect(await user.credits()).toEqual({ allowance: 0, packs: 0 });
  });

  it('on a subscription takes the period that it is about, and what is paid later entitles again', async () => {
    const user = await aBuyer();
    await user.buy(PLAN.metered);
    await simulator.advance(8 * DAY);
    await simulator.advance(2 * HOUR);
    await simulator.delivered();
    expect(await user.credits()).toEqual({ allowance: 1000, packs: 0 });
    const { id } = await user.charge();
    await simulator.dispute(id);
    await simulator.delivered();
    expect(await user.record()).toMatchObject({ paid: false, status: 'active', creditsAllowance: 0 });
    expect(await user.paidClaim()).toBe(false);
    await simulator.dispute(id, 'won');
    await simulator.delivered();
    expect(await user.record()).toMatchObject({ paid: true, creditsAllowance: 1000 });
    expect(await user.paidClaim()).toBe(true);
  });

  it('that is lost on a subscription lasts until another period is paid', async () => {
    const user = await aBuyer();
    await user.buy(PLAN.metered);
    await simulator.advance(8 * DAY);
    await simulator.advance(2 * HOUR);
    await simulator.delivered();
    await simulator.dispute((await user.charge()).id, 'lost');
    await simulator.delivered();
    expect(await user.record()).toMatchObject({ paid: false, creditsAllowance: 0 });
    await simulator.advance(31 * DAY);
    await simulator.advance(2 * HOUR);
    await simulator.delivered();
    expect(await user.record()).toMatchObject({ paid: true, creditsAllowance: 1000 });
  });

  it('that is closed before it is opened, by the order of arrival, ends the same', async () => {
    const user = await aBuyer();
    await user.buy(PACK.small);
    await simulator.delivered();
    const { id: charge, paymentIntent } = await user.charge();
    const about = { id: newId('du'), object: 'dispute', charge, payment_intent: paymentIntent };
    await deliver(anEvent('charge.dispute.closed', { ...about, status: 'won' }));
    await deliver(anEvent('charge.dispute.created', { ...about, status: 'needs_response' }));
    expect(await user.credits()).toEqual({ allowance: 0, packs: 100 });
  });

  it.each(['warning_needs_response', 'a_status_of_tomorrow'])(
    'in status %s moves nothing',
    async (status) => {
      const user = await aBuyer();
      await user.buy(PACK.small);
      await simulator.delivered();
      const { id: charge } = await user.charge();
      const dispute = { id: newId('du'), object: 'dispute', charge, status };
      expect((await deliver(anEvent('charge.dispute.created', dispute))).body).toEqual({
        outcome: 'ignored',
      });
      expect(await user.credits()).toEqual({ allowance: 0, packs: 100 });
    },
  );
});

describe('a refund that failed', () => {
  it('gives the credits back, once', async () => {
    const user = await aBuyer();
    await user.buy(PACK.small, '4000000000005126');
    await simulator.refund((await user.charge()).paymentIntent, 250);
    await simulator.delivered();
    expect(await user.credits()).toEqual({ allowance: 0, packs: 50 });
    await simulator.advance(3600);
    await simulator.delivered();
    expect(await user.credits()).toEqual({ allowance: 0, packs: 100 });
    const { data } = await stripe.events.list({ type: 'refund.failed' });
    await simulator.resend(data[0]?.id ?? '');
    await simulator.delivered();
    expect(await user.credits()).toEqual({ allowance: 0, packs: 100 });
  });
});

describe('customer.deleted', () => {
  it('forgets the customer; its subscriptions end by their own events, packs stay', async () => {
    const user = await aBuyer();
    await user.buy(PLAN.metered);
    await user.buy(PACK.small);
    await simulator.delivered();
    await stripe.customers.del(await user.customer());
    await simulator.delivered();
    expect(await user.record()).toMatchObject({ paid: false, customerId: null });
    expect(await user.credits()).toEqual({ allowance: 0, packs: 100 });
    const again = await user.checkout(PLAN.monthly);
    expect(again.status).toBe(200);
    expect((await user.portal()).status).toBe(200);
  });
});

describe('older shapes of the API', () => {
  it('a subscription whose period stands at its root', async () => {
    const user = await aUser();
    const plan = { uid: user.uid, subscription: newId('sub') };
    const end = now() + 20 * DAY;
    const older = {
      current_period_end: end,
      items: { data: [{ price: { id: 'p', lookup_key: PLAN.yearly } }] },
    };
    await deliver(subscriptionEvent('updated', plan, older));
    const record = await user.record();
    expect(record).toMatchObject({ paid: true, plan: PLAN.yearly });
    expect(record?.currentPeriodEnd.seconds).toBe(end);
  });

  it('a subscription without a lookup key on its price takes the plan of its metadata', async () => {
    const user = await aUser();
    const plan = { uid: user.uid, subscription: newId('sub') };
    await deliver(subscriptionEvent('created', plan, { items: undefined }));
    expect(await user.record()).toMatchObject({
      paid: true,
      plan: PLAN.metered,
      currentPeriodEnd: null,
    });
  });

  it('an invoice that names its subscription at its root', async () => {
    const user = await aUser();
    const { data, ...event } = invoicePaid({ uid: user.uid, subscription: 'unused' });
    const { parent: _, ...invoice } = data.object as { parent: unknown };
    const older = {
      ...invoice,
      subscription: newId('sub'),
      subscription_details: { metadata: { uid: user.uid } },
      lines: {
        data: [
          {
            period: { start: now(), end: now() + 30 * DAY },
            price: { metadata: { monthly_credits: '700' } },
          },
        ],
      },
    };
    await deliver({ ...event, data: { object: older } });
    expect(await user.credits()).toEqual({ allowance: 700, packs: 0 });
  });

  it('ids that were expanded to objects', async () => {
    const user = await aUser();
    const expanded = { payment_intent: { id: newId('pi') }, customer: { id: `cus_${user.uid}` } };
    await deliver(packBought(user, 100, expanded));
    expect(await user.record()).toMatchObject({ customerId: `cus_${user.uid}`, packCreditsRemaining: 100 });
  });
});

describe('whatever comes', () => {
  it.each(EVENT_TYPES)('%s with hardly a field is answered, and breaks nothing', async (type) => {
    for (const object of [{ id: newId('x') }, { id: newId('x'), metadata: null, status: 7, items: null }]) {
      const { status, body } = await deliver(anEvent(type, object));
      expect([status, body]).toEqual([200, { outcome: 'ignored' }]);
    }
  });

  it.each(EVENT_TYPES)('%s of a user, with hardly another field, keeps them as they are', async (type) => {
    const user = await aUser();
    await deliver(packBought(user, 100));
    const object = { id: newId('x'), customer: `cus_${user.uid}`, metadata: { uid: user.uid } };
    expect((await deliver(anEvent(type, object))).status).toBe(200);
    expect(await user.credits()).toEqual({ allowance: 0, packs: 100 });
  });

  it('a type that nobody registered is ignored', async () => {
    const user = await aUser();
    const event = { ...packBought(user), type: 'checkout.session.reimagined' };
    expect((await deliver(event)).body).toEqual({ outcome: 'ignored' });
    expect(await user.record()).toBeUndefined();
  });
});
