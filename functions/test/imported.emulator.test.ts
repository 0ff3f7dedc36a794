import { LEGACY_LIFETIME_PLAN } from '@extension-billing/contract/customer';
import { PLAN } from '@extension-billing/contract/test/catalog';
import { Timestamp } from 'firebase-admin/firestore';
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

const END = Timestamp.fromMillis(Date.now() + 20 * 86_400_000);

/** A user whose record was written elsewhere, before this service saw any event. */
async function anImport(fields: object) {
  const user = await aUser();
  await firestore.doc(`customers/${user.uid}`).set(fields);
  return user;
}

const METERED = {
  paid: true,
  plan: PLAN.metered,
  status: 'active',
  cancelAtPeriodEnd: false,
  currentPeriodEnd: END,
  customerId: 'cus_elsewhere',
  trialUsed: true,
  updatedAt: Timestamp.fromMillis(1_700_000_000_000),
  creditsRemaining: 650,
  creditsAllowance: 400,
  packCreditsRemaining: 250,
};

describe('an imported record', () => {
  it('can be spent from before any event, and its ledger adds up once the first comes', async () => {
    const user = await anImport(METERED);
    const { body } = await user.consume('demo_deep');
    expect(body).toMatchObject({ ok: true, balance: 645, allowance: 395, packCredits: 250 });
    await deliver(packBought(user, 100));
    expect(await user.credits()).toEqual({ allowance: 395, packs: 350 });
    expect(await user.record()).toMatchObject({
      paid: true,
      plan: PLAN.metered,
      trialUsed: true,
    });
  });

  it('loses nothing when an event comes first, then a consume, then another event', async () => {
    const user = await anImport(METERED);
    await deliver(packBought(user, 100));
    expect(await user.credits()).toEqual({ allowance: 400, packs: 350 });
    await user.consume('demo_deep');
    await deliver(packBought(user, 10));
    expect(await user.credits()).toEqual({ allowance: 395, packs: 360 });
    const opening = [...(await user.ledger()).values()].filter(({ kind }) => kind === 'opening');
    expect(opening).toMatchObject([{ deltaAllowance: 400, deltaPack: 250 }]);
  });

  it('opens once, whichever of many first events at once is first, with consumes between', async () => {
    const user = await anImport(METERED);
    const events = Array.from({ length: 6 }, () => deliver(packBought(user, 10)));
    const spends = Array.from({ length: 6 }, () => user.consume('demo'));
    const statuses = (await Promise.all([...events, ...spends])).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await user.credits()).toEqual({ allowance: 394, packs: 310 });
    const kinds = [...(await user.ledger()).values()].map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'opening')).toHaveLength(1);
  });

  it('gives its allowance up for the first invoice’s, and keeps its packs', async () => {
    const user = await anImport(METERED);
    await deliver(invoicePaid({ uid: user.uid, subscription: newId('sub') }));
    expect(await user.credits()).toEqual({ allowance: 1000, packs: 250 });
  });

  it('loses its allowance, and only that, when its subscription ends', async () => {
    const user = await anImport(METERED);
    await deliver(subscriptionEvent('deleted', { uid: user.uid, subscription: newId('sub') }));
    expect(await user.record()).toMatchObject({
      paid: false,
      plan: null,
      status: 'canceled',
      trialUsed: true,
    });
    expect(await user.credits()).toEqual({ allowance: 0, packs: 250 });
  });

  it('keeps its allowance while its subscription goes on', async () => {
    const user = await anImport(METERED);
    const plan = { uid: user.uid, subscription: newId('sub') };
    await deliver(subscriptionEvent('updated', plan, { cancel_at_period_end: true }));
    expect(await user.record()).toMatchObject({ paid: true, cancelAtPeriodEnd: true });
    expect(await user.credits()).toEqual({ allowance: 400, packs: 250 });
  });

  it('of a lifetime owner stays lifetime, through packs, subscriptions and their end', async () => {
    const user = await anImport({ paid: true, plan: LEGACY_LIFETIME_PLAN, status: 'active' });
    const plan = { uid: user.uid, subscription: newId('sub') };
    for (const event of [
      packBought(user, 100),
      subscriptionEvent('created', plan),
      subscriptionEvent('deleted', plan),
    ]) {
      await deliver(event);
      expect(await user.record()).toMatchObject({ paid: true, plan: LEGACY_LIFETIME_PLAN, status: 'active' });
    }
    expect(await user.paidClaim()).toBe(true);
  });

  it('keeps the fields that are not this service’s', async () => {
    const user = await anImport({ ...METERED, nickname: 'Ada', flags: { beta: true } });
    await user.consume('demo');
    await deliver(packBought(user, 100));
    await deliver(subscriptionEvent('deleted', { uid: user.uid, subscription: newId('sub') }));
    expect(await user.record()).toMatchObject({ nickname: 'Ada', flags: { beta: true } });
  });

  it('that knows only one number keeps it as credits that do not expire', async () => {
    const user = await anImport({ paid: false, creditsRemaining: 30 });
    expect(await user.balance()).toEqual({ balance: 30, allowance: 0 });
    await user.consume('demo');
    await deliver(packBought(user, 100));
    expect(await user.credits()).toEqual({ allowance: 0, packs: 129 });
  });

  it('is not clawed back from by the refund of a pack that came with it', async () => {
    const user = await anImport(METERED);
    await deliver(packRefunded({ uid: user.uid }, 500));
    expect(await user.credits()).toEqual({ allowance: 400, packs: 250 });
  });

  it('that never had credits goes on without', async () => {
    const user = await anImport({ paid: true, plan: PLAN.yearly, status: 'active' });
    expect((await user.consume('demo')).body).toMatchObject({ ok: true, balance: null });
    await deliver(
      subscriptionEvent('updated', { uid: user.uid, subscription: newId('sub') }, { status: 'past_due' }),
    );
    expect(await user.record()).not.toHaveProperty('creditsRemaining');
    expect(await user.record()).toMatchObject({ paid: true, status: 'past_due' });
  });
});
