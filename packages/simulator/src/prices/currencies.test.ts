import type Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { type Bench, CATALOG, refusalOf, startBench } from '../../test/harness.ts';

/** The club costs 9 € a month, or 10 $, or 1500 ¥; coins 5 € or 6 $. */
const SOLD_ABROAD = CATALOG.map((entry) => {
  if (entry.lookupKey === 'club_monthly') return { ...entry, prices: { usd: 1000, jpy: 1500 } };
  if (entry.lookupKey === 'club_plus_monthly') return { ...entry, prices: { usd: 2100 } };
  return entry.lookupKey === 'coins_small' ? { ...entry, prices: { usd: 600 } } : entry;
});

const shop = () => startBench({ catalog: SOLD_ABROAD });

async function sell(
  bench: Bench,
  lookupKey: string,
  params: Partial<Stripe.Checkout.SessionCreateParams> = {},
): Promise<Stripe.Checkout.Session> {
  const price = await bench.price(lookupKey);
  return bench.stripe.checkout.sessions.create({
    mode: price.recurring === null ? 'payment' : 'subscription',
    line_items: [{ price: price.id, quantity: 1 }],
    success_url: 'https://example.com/done',
    ...params,
  });
}

async function subscribe(bench: Bench, currency: string) {
  const customer = (await bench.stripe.customers.create({ email: 'buyer@example.com' })).id;
  const session = await sell(bench, 'club_monthly', { customer, currency });
  await bench.control(`checkout/${session.id}/pay`, {});
  const { subscription } = await bench.stripe.checkout.sessions.retrieve(session.id, {
    expand: ['subscription'],
  });
  if (subscription === null || typeof subscription === 'string') throw new Error('No subscription');
  return { customer, session, subscription };
}

const amountsOf = (price: Stripe.Price) =>
  Object.fromEntries(
    Object.entries(price.currency_options ?? {}).map(([name, { unit_amount }]) => [name, unit_amount]),
  );

describe('the currencies of a price', () => {
  it('are shown where they are asked for, with its own among them', async () => {
    const { stripe, price } = await shop();
    const { id } = await price('club_monthly');
    expect(await stripe.prices.retrieve(id)).not.toHaveProperty('currency_options');
    expect(amountsOf(await stripe.prices.retrieve(id, { expand: ['currency_options'] }))).toEqual({
      eur: 900,
      usd: 1000,
      jpy: 1500,
    });
    const listed = await stripe.prices.list({
      lookup_keys: ['coins_large'],
      expand: ['data.currency_options'],
    });
    expect(listed.data.map(amountsOf)).toEqual([{ eur: 2000 }]);
  });

  it('are given when it is made and added to later, and go with the empty string', async () => {
    const { stripe } = await shop();
    const product = (await stripe.products.create({ name: 'Mug' })).id;
    const expand = ['currency_options'];
    const made = await stripe.prices.create({
      product,
      currency: 'usd',
      unit_amount: 1200,
      currency_options: { eur: { unit_amount: 1100, tax_behavior: 'inclusive' } },
      expand,
    });
    expect(made.currency_options?.eur).toMatchObject({ unit_amount: 1100, tax_behavior: 'inclusive' });
    const gbp = { gbp: { unit_amount: 950 } };
    expect(amountsOf(await stripe.prices.update(made.id, { currency_options: gbp, expand }))).toEqual({
      usd: 1200,
      eur: 1100,
      gbp: 950,
    });
    expect(amountsOf(await stripe.prices.update(made.id, { currency_options: '', expand }))).toEqual({
      usd: 1200,
    });
  });

  it.each([
    ['xxx', { unit_amount: 500 }, /^Invalid currency: xxx/],
    ['usd', { unit_amount: 500 }, /default currency/],
    [
      'eur',
      { tax_behavior: 'inclusive' as const },
      /Missing required param: currency_options\[eur\]\[unit_amount\]/,
    ],
    ['huf', { unit_amount: 500 }, /^Amount must be at least/],
    ['eur', { tiers: [{ up_to: 'inf' as const, unit_amount: 5 }] }, /per-unit prices only/],
  ])('%s with %j is refused', async (currency, option, message) => {
    const { stripe } = await shop();
    const product = (await stripe.products.create({ name: 'Mug' })).id;
    const made = stripe.prices.create({
      product,
      currency: 'usd',
      unit_amount: 1200,
      currency_options: { [currency]: option },
    });
    expect((await refusalOf(made)).message).toMatch(message);
    expect((await stripe.prices.list({ product })).data).toEqual([]);
  });

  it('survive a restart with the state file’s content', async () => {
    const bench = await shop();
    const kept = await bench.control('snapshot');
    const other = await startBench();
    await other.control('restore', kept);
    const { id } = await other.price('club_monthly');
    expect(amountsOf(await other.stripe.prices.retrieve(id, { expand: ['currency_options'] }))).toEqual({
      eur: 900,
      usd: 1000,
      jpy: 1500,
    });
  });
});

describe('a checkout in a currency', () => {
  it('presents and charges the amount of that currency, and lists its line in it', async () => {
    const bench = await shop();
    const session = await sell(bench, 'coins_small', { currency: 'usd' });
    expect(session).toMatchObject({ currency: 'usd', amount_total: 600 });
    const { data } = await bench.stripe.checkout.sessions.listLineItems(session.id);
    expect(data[0]).toMatchObject({ currency: 'usd', amount_total: 600, price: { currency: 'eur' } });
    const page = await (await fetch(session.url ?? '')).text();
    expect(page).toContain('$6.00');
    expect(page).not.toContain('€');
    await bench.control(`checkout/${session.id}/pay`, {});
    const [charge] = (await bench.stripe.charges.list()).data;
    expect(charge).toMatchObject({ amount: 600, currency: 'usd', paid: true });
  });

  it('is in the price’s own currency where none is asked for', async () => {
    const bench = await shop();
    expect(await sell(bench, 'club_monthly')).toMatchObject({ currency: 'eur', amount_total: 900 });
  });

  it('that the price has no amount in is refused, and makes nothing', async () => {
    const bench = await shop();
    const refused = await refusalOf(sell(bench, 'club_yearly', { currency: 'usd' }));
    expect(refused.message).toBe(
      "The price specified only supports `eur`. This doesn't match the expected currency: `usd`.",
    );
    expect((await bench.stripe.checkout.sessions.list()).data).toEqual([]);
  });
});

describe('a subscription in a further currency', () => {
  it('is billed in it at each renewal, while its item’s price shows the price’s own', async () => {
    const bench = await shop();
    const { subscription } = await subscribe(bench, 'jpy');
    expect(subscription.currency).toBe('jpy');
    const [item] = subscription.items.data;
    expect(item?.price).toMatchObject({ currency: 'eur', unit_amount: 900 });
    await bench.control('clock/advance', { to: (item?.current_period_end ?? 0) + 3601 });
    const invoices = await bench.stripe.invoices.list({ subscription: subscription.id });
    expect(invoices.data.map(({ total, currency, status }) => [total, currency, status])).toEqual([
      [1500, 'jpy', 'paid'],
      [1500, 'jpy', 'paid'],
    ]);
    expect(invoices.data[0]?.lines.data[0]?.description).toContain('¥1,500');
  });

  it('locks its customer to it: another plan is in it unasked, and in no other', async () => {
    const bench = await shop();
    const { customer } = await subscribe(bench, 'usd');
    expect(await sell(bench, 'club_plus_monthly', { customer })).toMatchObject({
      currency: 'usd',
      amount_total: 2100,
    });
    for (const params of [{ customer, currency: 'eur' }, { customer }] as const) {
      const key = 'currency' in params ? 'club_plus_monthly' : 'club_yearly';
      expect((await refusalOf(sell(bench, key, params))).message).toMatch(
        /^You cannot combine currencies on a single customer\. .* with currency usd\.$/,
      );
    }
    // What is paid once is no bill of the customer's.
    expect(await sell(bench, 'coins_small', { customer, currency: 'eur' })).toMatchObject({
      currency: 'eur',
    });
  });

  it('switches to a price that supports it, with both prorations in it', async () => {
    const bench = await shop();
    const { subscription } = await subscribe(bench, 'usd');
    const [item] = subscription.items.data;
    if (item === undefined) throw new Error('No item');
    const half = Math.round((item.current_period_end - item.current_period_start) / 2);
    await bench.control('clock/advance', { seconds: half });
    const switchTo = async (key: string) =>
      bench.stripe.subscriptions.update(subscription.id, {
        items: [{ id: item.id, price: (await bench.price(key)).id }],
        proration_behavior: 'always_invoice',
      });
    expect((await refusalOf(switchTo('club_yearly'))).message).toContain('expected currency: `usd`');
    await switchTo('club_plus_monthly');
    const [invoice] = (await bench.stripe.invoices.list({ subscription: subscription.id })).data;
    expect(invoice?.currency).toBe('usd');
    const [credit, debit] = invoice?.lines.data ?? [];
    expect(Math.abs((credit?.amount ?? 0) + 500)).toBeLessThanOrEqual(1);
    expect(Math.abs((debit?.amount ?? 0) - 1050)).toBeLessThanOrEqual(1);
  });
});
