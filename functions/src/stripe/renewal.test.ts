import { testCatalog } from '@extension-billing/contract/test/catalog';
import type { Stripe } from 'stripe';
import { expect, it } from 'vitest';
import { readSubscription } from './subscriptions.ts';

const seller = { project: null, catalog: testCatalog };
const PRICE = {
  id: 'price_1',
  object: 'price',
  currency: 'usd',
  unit_amount: 1900,
  billing_scheme: 'per_unit',
  transform_quantity: null,
  metadata: {},
  recurring: { interval: 'month', interval_count: 1, usage_type: 'licensed' },
};
type Over = Readonly<Record<string, unknown>>;

const item = (price: Over = {}, over: Over = {}) => ({
  id: 'si_1',
  quantity: 1,
  discounts: [],
  price: { ...PRICE, ...price },
  ...over,
});

/** What the snapshot of a subscription with these items says of its renewal. */
function renewal(items: readonly object[], over: Over = {}) {
  const subscription = {
    id: 'sub_1',
    status: 'active',
    currency: 'usd',
    discounts: [],
    schedule: null,
    metadata: { price_id: 'price_1' },
    items: { data: items },
    ...over,
  };
  return readSubscription(subscription as unknown as Stripe.Subscription, seller).state.renewal;
}

it('is the unit amount times the quantity, for each period of the price', () => {
  expect(renewal([item()])).toEqual({ amount: 1900, currency: 'usd', interval: 'month' });
  expect(renewal([item({}, { quantity: 3 })])).toMatchObject({ amount: 5700 });
  const quarterly = { interval: 'month', interval_count: 3, usage_type: 'licensed' };
  expect(renewal([item({ recurring: quarterly })])).toMatchObject({ interval: 'month', count: 3 });
});

it('adds up what one invoice bills, and says nothing where the items are billed at different times', () => {
  const extra = { id: 'price_extra', unit_amount: 500 };
  expect(renewal([item(), item(extra)])).toMatchObject({ amount: 2400 });
  const yearly = { ...PRICE.recurring, interval: 'year' };
  expect(renewal([item(), item({ ...extra, recurring: yearly })])).toBeNull();
});

it('in a further currency is what checkout or set-up wrote down, never the price’s own amount', () => {
  const inEuros = (metadata: Over, price: Over = {}) =>
    renewal([item(price)], { currency: 'eur', metadata: { price_id: 'price_1', ...metadata } });
  expect(inEuros({ charged: 'eur:1700' })).toEqual({ amount: 1700, currency: 'eur', interval: 'month' });
  expect(inEuros({}, { metadata: { prices: 'eur:1800,gbp:1500' } })).toMatchObject({ amount: 1800 });
  expect(inEuros({})).toBeNull();
  expect(inEuros({ charged: 'gbp:1500' })).toBeNull();
  // What was written at checkout is of the price that was bought, not of the one that was switched to.
  expect(inEuros({ charged: 'eur:1700', price_id: 'price_old' })).toBeNull();
});

it.each([
  ['a discount', {}, { discounts: ['di_1'] }],
  ['a schedule that changes it', {}, { schedule: 'sub_sched_1' }],
  ['tiers', { billing_scheme: 'tiered', unit_amount: null }, {}],
  ['usage', { recurring: { ...PRICE.recurring, usage_type: 'metered' } }, {}],
  ['quantities by the dozen', { transform_quantity: { divide_by: 12, round: 'up' } }, {}],
  ['an amount in parts of a cent', { unit_amount: null, unit_amount_decimal: '0.5' }, {}],
  ['no currency, as in a test', {}, { currency: undefined }],
])('is not known with %s', (_what, price, over) => {
  expect(renewal([item(price)], over)).toBeNull();
});

it('is not known with a discount on an item, or without items', () => {
  expect(renewal([item({}, { discounts: ['di_1'] })])).toBeNull();
  expect(renewal([])).toBeNull();
});
