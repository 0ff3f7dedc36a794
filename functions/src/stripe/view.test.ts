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
