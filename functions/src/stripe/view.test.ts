import { PLAN, testCatalog } from '@extension-billing/contract/test/catalog';
import type { Stripe } from 'stripe';
import { expect, it } from 'vitest';
import { parseUid } from '../store/documents.ts';
import { listProviderView } from './view.ts';

const MONTH = 30 * 86_400;

/** A renewal of a plan that was switched at the provider: its price is not the one that was bought here. */
function renewal(month: number) {
  const period = { start: month * MONTH, end: (month + 1) * MONTH };
  const parent = { subscription_item_details: { subscription: 'sub_1', proration: false } };
  const pricing = { price_details: { price: 'price_switched' } };
  const metadata = { uid: 'ada', price_id: 'price_bought', monthly_credits: '100' };
  return {
    id: `in_${month}`,
    customer: 'cus_1',
    created: month * MONTH,
    billing_reason: 'subscription_cycle',
    amount_paid: 1900,
    parent: { subscription_details: { subscription: 'sub_1', metadata } },
    lines: { data: [{ id: `il_${month}`, period, quantity: 1, parent, pricing }] },
  };
}

it('asks for the price of an account’s many invoices once: the provider’s limit is shared by all', async () => {
  const asked: string[] = [];
  const list = (rows: readonly object[]) => ({
    async *list() {
      yield* rows;
    },
  });
  const stripe = {
    customers: { retrieve: async () => ({ id: 'cus_1' }) },
    subscriptions: list([]),
    invoices: list(Array.from({ length: 60 }, (_, month) => renewal(month))),
    checkout: { sessions: list([]) },
    charges: list([]),
    prices: {
      retrieve: async (id: string) => {
        asked.push(id);
        return { id, lookup_key: PLAN.metered, metadata: { monthly_credits: '1000' } };
      },
    },
  } as unknown as Stripe;
  const view = await listProviderView(stripe, parseUid('ada') ?? expect.fail(), ['cus_1'], {
    project: null,
    catalog: testCatalog,
  });
  expect(asked).toEqual(['price_switched']);
  expect(view.allowances).toHaveLength(60);
  expect(view.allowances.every(({ fact }) => 'credits' in fact && fact.credits === 1000)).toBe(true);
});

/** A payment for a lifetime plan, as `billing import` marks it. */
const METADATA = { uid: 'ada', kind: 'lifetime', lookup_key: PLAN.lifetime, project: 'shop' };
const charged = (over: object = {}) => ({
  ...{ id: 'ch_1', payment_intent: 'pi_1', customer: 'cus_1', created: 1_700_000_000, amount: 19_900 },
  ...{ paid: true, status: 'succeeded', amount_refunded: 0, refunded: false, metadata: METADATA },
  ...over,
});
const SESSION = {
  ...{ id: 'cs_1', mode: 'payment', payment_status: 'paid', payment_intent: 'pi_1', customer: 'cus_1' },
  ...{ created: 1_700_000_000, metadata: METADATA },
};

async function purchases(charges: readonly object[], sessions: readonly object[] = []) {
  const list = (rows: readonly object[]) => ({
    async *list() {
      yield* rows;
    },
  });
  const stripe = {
    customers: { retrieve: async () => ({ id: 'cus_1' }) },
    ...{ subscriptions: list([]), invoices: list([]), charges: list(charges) },
    checkout: { sessions: list(sessions) },
  } as unknown as Stripe;
  const seller = { project: 'shop', catalog: testCatalog };
  return (await listProviderView(stripe, parseUid('ada') ?? expect.fail(), ['cus_1'], seller)).purchases;
}

it('takes a purchase from the charge that says it, where no page of ours sold it', async () => {
  expect(await purchases([charged()])).toEqual([
    {
      customer: 'cus_1',
      fact: {
        ...{ kind: 'purchase_paid', purchase: 'pi_1', product: 'lifetime', credits: 0 },
        ...{ lookupKey: PLAN.lifetime, at: 1_700_000_000_000 },
      },
    },
  ]);
});

it('takes it once where a page of ours sold it too, and never what is not paid or says nothing', async () => {
  expect(await purchases([charged()], [SESSION])).toHaveLength(1);
  expect(await purchases([charged({ paid: false, status: 'failed' })])).toEqual([]);
  expect(await purchases([charged({ metadata: {} })])).toEqual([]);
  expect(await purchases([charged({ metadata: { ...METADATA, uid: 'eve' } })])).toEqual([]);
  expect(await purchases([charged({ metadata: { ...METADATA, project: 'other' } })])).toEqual([]);
});
