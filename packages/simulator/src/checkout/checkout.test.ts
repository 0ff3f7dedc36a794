import { describe, expect, it } from 'vitest';
import { buyPack, buyPlan, DAY, refusalOf, startBench } from '../../test/harness.ts';

const METADATA = { uid: 'u1', kind: 'subscription', monthly_credits: '1000' };

describe('a subscription bought through Checkout', () => {
  it('is active, paid and carries the metadata that subscription_data gave it', async () => {
    const bench = await startBench();
    const { session, subscription } = await buyPlan(bench, { metadata: METADATA });
    expect(session).toMatchObject({
      status: 'complete',
      payment_status: 'paid',
      metadata: METADATA,
      url: null,
    });
    expect(subscription).toMatchObject({
      status: 'active',
      metadata: METADATA,
      billing_mode: { type: 'flexible' },
    });
    const [item] = subscription.items.data;
    expect(item?.price.lookup_key).toBe('club_plus_monthly');
    expect(item?.price.metadata).toEqual({ monthly_coins: '1000' });
    const end = new Date((item?.current_period_end ?? 0) * 1000);
    const start = new Date((item?.current_period_start ?? 0) * 1000);
    expect((end.getUTCMonth() - start.getUTCMonth() + 12) % 12).toBe(1);
  });

  it('has a paid first invoice that leads back to it, with its metadata, period and price', async () => {
    const bench = await startBench();
    const { subscription } = await buyPlan(bench, { metadata: METADATA });
    const { data } = await bench.stripe.invoices.list({ subscription: subscription.id });
    expect(data).toHaveLength(1);
    const [invoice] = data;
    expect(invoice).toMatchObject({
      status: 'paid',
      billing_reason: 'subscription_create',
      amount_paid: 1900,
    });
    expect(invoice?.parent?.subscription_details).toMatchObject({
      subscription: subscription.id,
      metadata: METADATA,
    });
    const [line] = invoice?.lines.data ?? [];
    expect(line?.period.end).toBe(subscription.items.data[0]?.current_period_end);
    expect(line?.pricing?.price_details?.price).toBe('price_club_plus_monthly');
    expect(line?.parent?.subscription_item_details?.proration).toBe(false);
  });

  it('with a trial begins with a $0 invoice, and its period ends with the trial', async () => {
    const bench = await startBench();
    const { session, subscription } = await buyPlan(bench, { trialDays: 7 });
    expect(session.payment_status).toBe('no_payment_required');
    expect(subscription).toMatchObject({ status: 'trialing' });
    expect((subscription.trial_end ?? 0) - (subscription.trial_start ?? 0)).toBe(7 * DAY);
    expect(subscription.items.data[0]?.current_period_end).toBe(subscription.trial_end);
    const { data } = await bench.stripe.invoices.list({ subscription: subscription.id });
    expect(data.map((invoice) => [invoice.status, invoice.total])).toEqual([['paid', 0]]);
    expect((await bench.stripe.charges.list()).data).toEqual([]);
  });

  it('is announced as created, paid, completed, in this order', async () => {
    const bench = await startBench();
    await buyPlan(bench, { trialDays: 7 });
    const wanted = ['customer.subscription.created', 'invoice.paid', 'checkout.session.completed'];
    expect((await bench.eventTypes()).filter((type) => wanted.includes(type))).toEqual(wanted);
  });
});

describe('a one-time purchase through Checkout', () => {
  it('copies the intent’s metadata to its charge once', async () => {
    const bench = await startBench();
    const { session, charge } = await buyPack(bench, { uid: 'u1', kind: 'pack', credits: '100' });
    expect(session).toMatchObject({ payment_status: 'paid', amount_total: 500 });
    expect(charge).toMatchObject({
      amount: 500,
      paid: true,
      metadata: { uid: 'u1', kind: 'pack', credits: '100' },
    });
    await bench.stripe.paymentIntents.update(String(charge.payment_intent), { metadata: { uid: 'other' } });
    expect((await bench.stripe.charges.retrieve(charge.id)).metadata.uid).toBe('u1');
  });

  it('makes a customer when asked to, with the e-mail typed on the page', async () => {
    const bench = await startBench();
    const { session } = await buyPack(bench);
    const customer = await bench.stripe.customers.retrieve(String(session.customer));
    expect(customer).toMatchObject({ email: 'buyer@example.com' });
  });

  it('gives its customer the e-mail typed on the page, unless they have one', async () => {
    const bench = await startBench();
    const { id: customer } = await bench.stripe.customers.create();
    await buyPlan(bench, { customer });
    expect(await bench.stripe.customers.retrieve(customer)).toMatchObject({ email: 'buyer@example.com' });
    const { id: known } = await bench.stripe.customers.create({ email: 'ada@example.com' });
    await buyPlan(bench, { customer: known });
    expect(await bench.stripe.customers.retrieve(known)).toMatchObject({ email: 'ada@example.com' });
  });

  it('shows its lines only when they are asked for', async () => {
    const bench = await startBench();
    const { session } = await buyPack(bench);
    expect(session.line_items).toBeUndefined();
    const lines = await bench.stripe.checkout.sessions.listLineItems(session.id);
    expect(lines.data[0]).toMatchObject({
      amount_total: 500,
      quantity: 1,
      price: { lookup_key: 'coins_small' },
    });
    const expanded = await bench.stripe.checkout.sessions.retrieve(session.id, { expand: ['line_items'] });
    expect(expanded.line_items?.data).toHaveLength(1);
  });
});

describe('the hosted checkout page', () => {
  async function open(mode: 'payment' | 'subscription') {
    const bench = await startBench();
    const price = await bench.price(mode === 'payment' ? 'coins_small' : 'club_monthly');
    const session = await bench.stripe.checkout.sessions.create({
      mode,
      line_items: [{ price: price.id, quantity: 1 }],
      success_url: 'https://example.com/done?session={CHECKOUT_SESSION_ID}',
      cancel_url: 'https://example.com/back',
    });
    const post = (fields: Record<string, string>) =>
      fetch(session.url ?? '', { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields) });
    return { bench, session, post };
  }

  it('shows what is sold', async () => {
    const { session } = await open('subscription');
    const response = await fetch(session.url ?? '');
    const page = await response.text();
    expect(response.status).toBe(200);
    expect(page).toContain('€9.00');
    expect(page).toContain('name="number"');
  });

  it('pays, and sends the browser to the success address with the session’s id', async () => {
    const { bench, session, post } = await open('payment');
    const response = await post({ action: 'pay', email: 'a@example.com', number: '4242 4242 4242 4242' });
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe(`https://example.com/done?session=${session.id}`);
    expect((await bench.stripe.checkout.sessions.retrieve(session.id)).status).toBe('complete');
  });

  it.each([
    ['payment', '4000000000000002', 'Your card was declined.'],
    ['payment', '4000000000009995', 'Your card has insufficient funds.'],
    ['subscription', '4000000000000002', 'Your card was declined.'],
    ['subscription', '4242424242424241', 'Your card number is incorrect.'],
  ] as const)('in %s mode with card %s says "%s" and stays open', async (mode, number, message) => {
    const { bench, session, post } = await open(mode);
    const response = await post({ action: 'pay', email: 'a@example.com', number });
    expect(response.status).toBe(402);
    expect(await response.text()).toContain(message);
    expect((await bench.stripe.checkout.sessions.retrieve(session.id)).status).toBe('open');
    expect((await bench.stripe.subscriptions.list()).data).toEqual([]);
    const second = await post({ action: 'pay', email: 'a@example.com', number: '4242424242424242' });
    expect(second.status).toBe(303);
  });

  it('leads back to the cancel address, and leaves the session open', async () => {
    const { bench, session, post } = await open('payment');
    const response = await post({ action: 'cancel' });
    expect(response.headers.get('location')).toBe('https://example.com/back');
    expect((await bench.stripe.checkout.sessions.retrieve(session.id)).status).toBe('open');
  });

  it('takes no second payment', async () => {
    const { bench, post } = await open('payment');
    await post({ action: 'pay', email: 'a@example.com', number: '4242424242424242' });
    const again = await post({ action: 'pay', email: 'a@example.com', number: '4242424242424242' });
    expect(again.status).toBe(200);
    expect((await bench.stripe.charges.list()).data).toHaveLength(1);
  });

  it('answers 404 for a session that does not exist', async () => {
    const bench = await startBench();
    expect((await fetch(`${bench.simulator.url}/c/pay/cs_test_nothing`)).status).toBe(404);
  });
});

describe('an open session', () => {
  it('expires when it is told to, once', async () => {
    const bench = await startBench();
    const price = await bench.price('club_monthly');
    const session = await bench.stripe.checkout.sessions.create({
      mode: 'subscription',
      line_items: [{ price: price.id, quantity: 1 }],
      success_url: 'https://example.com',
    });
    expect(await bench.stripe.checkout.sessions.expire(session.id)).toMatchObject({
      status: 'expired',
      url: null,
    });
    const again = await refusalOf(bench.stripe.checkout.sessions.expire(session.id));
    expect(again.message).toContain('status of expired');
    expect(await bench.eventTypes()).toContain('checkout.session.expired');
  });

  it('expires by itself after a day', async () => {
    const bench = await startBench();
    const price = await bench.price('club_monthly');
    const session = await bench.stripe.checkout.sessions.create({
      mode: 'subscription',
      line_items: [{ price: price.id, quantity: 1 }],
      success_url: 'https://example.com',
    });
    await bench.control('clock/advance', { days: 2 });
    expect((await bench.stripe.checkout.sessions.retrieve(session.id)).status).toBe('expired');
  });
});

describe('a session that Stripe would refuse', () => {
  const base = { success_url: 'https://example.com' };
  it.each([
    ['without a mode', {}, 'Missing required param: mode.'],
    [
      'with a recurring price in payment mode',
      { mode: 'payment', price: 'club_monthly' },
      'You specified `payment` mode but passed a recurring price',
    ],
    [
      'with a one-time price in subscription mode',
      { mode: 'subscription', price: 'coins_small' },
      'at least one recurring price',
    ],
    [
      'with subscription_data in payment mode',
      { mode: 'payment', price: 'coins_small', subscription_data: { trial_period_days: 7 } },
      '`subscription_data` in `payment` mode',
    ],
    [
      'with customer_creation in subscription mode',
      { mode: 'subscription', price: 'club_monthly', customer_creation: 'always' },
      '`customer_creation` can only be used',
    ],
    [
      'with a trial of no days',
      { mode: 'subscription', price: 'club_monthly', subscription_data: { trial_period_days: 0 } },
      'minimum number of trial period days is 1',
    ],
    [
      'with customer_update and no customer',
      { mode: 'payment', price: 'coins_small', customer_update: { address: 'auto' } },
      '`customer_update` can only be used with `customer`',
    ],
    [
      'with an expiry in five minutes',
      { mode: 'payment', price: 'coins_small', expires_at: Math.floor(Date.now() / 1000) + 300 },
      'at least 30 minutes',
    ],
  ])('%s is refused', async (_what, { price, ...params }: Record<string, unknown>, message) => {
    const bench = await startBench();
    const lines =
      price === undefined
        ? {}
        : { line_items: [{ price: (await bench.price(String(price))).id, quantity: 1 }] };
    const refusal = await refusalOf(bench.stripe.checkout.sessions.create({ ...base, ...lines, ...params }));
    expect(refusal.statusCode).toBe(400);
    expect(refusal.message).toContain(message);
  });

  it('with automatic tax for a customer without an address is refused with its code', async () => {
    const bench = await startBench();
    const customer = await bench.stripe.customers.create({});
    const price = await bench.price('club_monthly');
    const params = {
      ...base,
      mode: 'subscription' as const,
      customer: customer.id,
      automatic_tax: { enabled: true },
      line_items: [{ price: price.id, quantity: 1 }],
    };
    const refusal = await refusalOf(bench.stripe.checkout.sessions.create(params));
    expect(refusal.code).toBe('customer_tax_location_invalid');
    const saved = await bench.stripe.checkout.sessions.create({
      ...params,
      customer_update: { address: 'auto' },
    });
    expect(saved.automatic_tax.enabled).toBe(true);
  });
});
