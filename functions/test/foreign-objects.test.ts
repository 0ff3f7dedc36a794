import { PACK, PLAN, testCatalog } from '@extension-billing/contract/test/catalog';
import { Stripe } from 'stripe';
import { describe, expect, it } from 'vitest';
import type { AppDeps } from '../src/deps.ts';
import { parseUid } from '../src/store/documents.ts';
import { sealOf, sellerOf } from '../src/stripe/seal.ts';
import { listProviderView } from '../src/stripe/view.ts';
import { aConfig } from './app/config.ts';
import { invoicePaid, type PostedEvent, packBought, subscriptionEvent } from './factories/provider-events.ts';
import { UID } from './fuzz/any-event.ts';
import { servedInMemory } from './fuzz/served.ts';

const CUSTOMER = 'cus_of_the_user';
const shared = aConfig({ project: 'here', sharedAccount: true });
const CHEAP = { id: 'price_cheap', lookup_key: null, metadata: {} };

/** The service, whose user has a customer, on an account whose sessions sold these prices. */
async function here(config = shared, sold: readonly object[] = [CHEAP]) {
  const stripe = async () => ({
    webhooks: Stripe.webhooks,
    checkout: { sessions: { listLineItems: async () => ({ data: sold.map((price) => ({ price })) }) } },
    prices: { retrieve: async () => sold[0] },
  });
  const { deliver, database } = await servedInMemory({
    config,
    stripe: stripe as unknown as AppDeps['stripe'],
  });
  await database.connect().doc(`provider_customers/${CUSTOMER}`).set({ uid: UID });
  return {
    async deliver(event: PostedEvent): Promise<string> {
      const { body } = await deliver(JSON.stringify({ object: 'event', ...event }));
      return JSON.parse(body).outcome;
    },
    record: (uid = UID) => database.documents.get(`customers/${uid}`)?.data,
    ownerOf: (customer: string) => database.documents.get(`provider_customers/${customer}`)?.data,
  };
}

const itemOf = (price: object) => ({
  object: 'list',
  data: [{ current_period_start: 1_900_000_000, current_period_end: 4_000_000_000, price }],
});

describe('metadata that a user wrote on an account that is shared', () => {
  const forged = {
    ...{ uid: UID, kind: 'subscription', lookup_key: PLAN.metered, project: 'here' },
    monthly_credits: '1000000000',
  };
  const over = { customer: CUSTOMER, metadata: forged, items: itemOf(CHEAP) };
  const plan = { uid: UID, subscription: 'sub_cheap' };

  it('makes a cheap subscription neither a plan nor credits, whichever of its events comes first', async () => {
    const subscription = subscriptionEvent('created', plan, over);
    const paid = structuredClone(invoicePaid(plan)) as {
      data: { object: Record<string, unknown> };
    } & PostedEvent;
    Object.assign(paid.data.object, {
      customer: CUSTOMER,
      parent: { subscription_details: { subscription: 'sub_cheap', metadata: forged } },
      lines: { data: [{ period: { start: 1 }, pricing: { price_details: { price: CHEAP.id } } }] },
    });
    for (const events of [
      [subscription, paid],
      [paid, subscription],
    ]) {
      const { deliver, record } = await here();
      for (const event of events) await deliver(event);
      expect(record()).toMatchObject({ paid: false, plan: null });
      expect(record()?.creditsRemaining ?? 0).toBe(0);
    }
  });

  it('gives nothing to another user, and does not make them the owner of the buyer’s customer', async () => {
    const { deliver, record, ownerOf } = await here();
    const own = { id: 'price_metered', lookup_key: PLAN.metered, metadata: {} };
    const gift = { ...over, metadata: { ...forged, uid: 'victim' }, items: itemOf(own) };
    await deliver(subscriptionEvent('created', plan, gift));
    expect(record('victim')).toBeUndefined();
    expect(ownerOf(CUSTOMER)).toEqual({ uid: UID });
    expect(record()).toMatchObject({ paid: true, plan: PLAN.metered });
  });

  it('makes a cheap payment neither a lifetime plan nor a pack, by its event and by the comparison', async () => {
    const { deliver, record } = await here();
    for (const [kind, lookup_key] of [
      ['lifetime', PLAN.lifetime],
      ['pack', PACK.small],
    ]) {
      const metadata = { ...forged, kind, lookup_key, credits: '1000000000' };
      await deliver(packBought({ uid: UID, customer: CUSTOMER }, 100, { metadata }));
      expect(record()).toMatchObject({ paid: false });
      expect(record()?.creditsRemaining ?? 0).toBe(0);
      expect((await purchasesSeen(metadata)).map(({ fact }) => fact)).toEqual([]);
    }
  });

  it('which is a seal of their own purchase gives that a second time only where its price is paid', async () => {
    const metadata = sealOf(shared).seal({
      ...{ uid: UID, kind: 'pack', lookup_key: PACK.small, price_id: 'price_pack', credits: '100' },
    });
    const pack = { id: 'price_pack', lookup_key: null, metadata: {} };
    for (const [price, credits] of [
      [CHEAP, 0],
      [pack, 100],
    ] as const) {
      const { deliver, record } = await here(shared, [price]);
      await deliver(packBought({ uid: UID, customer: CUSTOMER }, 100, { metadata }));
      expect(record()?.packCreditsRemaining ?? 0).toBe(credits);
    }
  });
});

/** The purchases that the daily comparison sees of a cheap payment with this metadata. */
async function purchasesSeen(metadata: object) {
  const list = (rows: readonly object[]) => ({
    async *list() {
      yield* rows;
    },
  });
  const paid = { paid: true, status: 'succeeded', amount: 50, amount_refunded: 0, payment_intent: 'pi_1' };
  const session = { id: 'cs_1', mode: 'payment', payment_status: 'paid', payment_intent: 'pi_1', metadata };
  const stripe = {
    customers: { retrieve: async () => ({ id: CUSTOMER }) },
    ...{ subscriptions: list([]), invoices: list([]) },
    charges: list([{ id: 'ch_1', customer: CUSTOMER, created: 1, metadata, ...paid }]),
    checkout: { sessions: list([{ ...session, line_items: { data: [{ price: CHEAP }] } }]) },
  } as unknown as Stripe;
  const seller = sellerOf({ config: shared, catalog: () => testCatalog });
  const view = await listProviderView(stripe, parseUid(UID) ?? expect.fail(), [CUSTOMER], seller);
  return view.purchases;
}

describe('a payment link that was opened with somebody’s uid', () => {
  it.each([
    ['of another product', {}],
    ['of a pack, with its metadata', { lookup_key: PACK.small, kind: 'pack', credits: '100' }],
  ])('%s does not link its payer, on an account that nobody shares either', async (_what, metadata) => {
    const { deliver, record, ownerOf } = await here(aConfig({ project: 'here' }));
    const link = { client_reference_id: UID, payment_link: 'plink_1', metadata };
    const session = packBought({ uid: UID, customer: 'cus_of_the_payer' }, 100, link);
    expect(await deliver(session)).toBe('ignored');
    expect(record()).toBeUndefined();
    expect(ownerOf('cus_of_the_payer')).toBeUndefined();
  });

  it('or a session of anybody else with it, does not either', async () => {
    const { deliver, ownerOf } = await here(aConfig({ project: 'here' }));
    const foreign = { client_reference_id: UID, metadata: { order: '17' } };
    expect(await deliver(packBought({ uid: UID, customer: 'cus_other' }, 100, foreign))).toBe('ignored');
    expect(ownerOf('cus_other')).toBeUndefined();
  });
});
