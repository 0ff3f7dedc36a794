import { once } from 'node:events';
import { request } from 'node:http';
import Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { buyPlan, CATALOG, refusalOf, sdk, startBench } from '../../test/harness.ts';
import { OPERATIONS, UNDOCUMENTED } from './operations.ts';
import { ROUTES } from './routes.ts';

describe('every operation', () => {
  it('that the simulator names has exactly one route', () => {
    expect(ROUTES.map((route) => route.operation).sort()).toEqual([...OPERATIONS, ...UNDOCUMENTED].sort());
  });
});

describe('errors', () => {
  it('of a missing object in the path are 404, in a parameter 400', async () => {
    const { stripe } = await startBench();
    const path = await refusalOf(stripe.customers.retrieve('cus_nothing'));
    expect(path).toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
      message: "No such customer: 'cus_nothing'",
    });
    expect(path).toBeInstanceOf(Stripe.errors.StripeInvalidRequestError);
    const params = {
      mode: 'payment' as const,
      success_url: 'https://example.com',
      line_items: [{ price: 'price_none', quantity: 1 }],
    };
    const parameter = await refusalOf(stripe.checkout.sessions.create(params));
    expect(parameter).toMatchObject({
      statusCode: 400,
      code: 'resource_missing',
      param: 'line_items[0][price]',
    });
  });

  it('of authentication come out as the SDK’s own class', async () => {
    const { simulator } = await startBench();
    const live = await refusalOf(sdk(simulator, 'sk_live_1234567890').customers.list());
    expect(live).toBeInstanceOf(Stripe.errors.StripeAuthenticationError);
    expect(live.message).not.toContain('1234567890');
    const none = await fetch(`${simulator.url}/v1/customers`);
    expect(none.status).toBe(401);
  });

  it('of a card come out as the SDK’s own class, with the decline code', async () => {
    const { stripe } = await startBench();
    const refusal = await refusalOf(
      stripe.paymentIntents.create({
        amount: 500,
        currency: 'usd',
        payment_method: 'pm_card_chargeDeclinedInsufficientFunds',
        confirm: true,
      }),
    );
    expect(refusal).toBeInstanceOf(Stripe.errors.StripeCardError);
    expect(refusal).toMatchObject({
      statusCode: 402,
      code: 'card_declined',
      decline_code: 'insufficient_funds',
    });
  });

  it('of what is not implemented are Stripe’s own 404', async () => {
    const { stripe } = await startBench();
    const refusal = await refusalOf(stripe.topups.list());
    expect(refusal).toMatchObject({ statusCode: 404, type: 'StripeInvalidRequestError' });
    expect(refusal.message).toContain('Unrecognized request URL (GET: /v1/topups)');
  });

  it.each([
    ['an unknown parameter', { nme: 'x' }, 'Received unknown parameter: nme', 'nme'],
    ['two unknown parameters', { nme: 'x', emal: 'y' }, 'Received unknown parameters: nme, emal', 'nme'],
    [
      'an unknown nested parameter',
      { invoice_settings: { footr: 'x' } },
      'Received unknown parameter: invoice_settings[footr]',
      'invoice_settings[footr]',
    ],
    ['a wrong type', { balance: 'much' }, 'Invalid integer: much', 'balance'],
    ['a word outside an enum', { tax_exempt: 'maybe' }, 'Invalid tax_exempt: must be one of', 'tax_exempt'],
    [
      'a metadata key of 41 characters',
      { metadata: { ['k'.repeat(41)]: 'x' } },
      'at most 40 characters',
      'metadata',
    ],
  ])('of %s say so as Stripe does', async (_what, params: object, message, param) => {
    const { stripe } = await startBench();
    const refusal = await refusalOf(stripe.customers.create(params));
    expect(refusal).toMatchObject({ statusCode: 400, param });
    expect(refusal.message).toContain(message);
  });

  it('of a missing parameter name it', async () => {
    const { stripe } = await startBench();
    const params = {
      unit_amount: 500,
      product: 'prod_club_monthly',
    } as unknown as Stripe.PriceCreateParams;
    const refusal = await refusalOf(stripe.prices.create(params));
    expect(refusal).toMatchObject({
      code: 'parameter_missing',
      param: 'currency',
      message: 'Missing required param: currency.',
    });
  });
});

describe('an idempotency key', () => {
  it('answers the first answer again, and makes nothing new', async () => {
    const { stripe } = await startBench();
    const first = await stripe.customers.create({ email: 'a@example.com' }, { idempotencyKey: 'k1' });
    const second = await stripe.customers.create({ email: 'a@example.com' }, { idempotencyKey: 'k1' });
    expect(second.id).toBe(first.id);
    expect(second.lastResponse.headers['idempotent-replayed']).toBe('true');
    expect((await stripe.customers.list()).data).toHaveLength(1);
  });

  it('with other parameters is refused with the SDK’s own class', async () => {
    const { stripe } = await startBench();
    await stripe.customers.create({ email: 'a@example.com' }, { idempotencyKey: 'k1' });
    const refusal = await refusalOf(
      stripe.customers.create({ email: 'b@example.com' }, { idempotencyKey: 'k1' }),
    );
    expect(refusal).toBeInstanceOf(Stripe.errors.StripeIdempotencyError);
    expect(refusal.statusCode).toBe(400);
  });

  it('remembers a refusal of the execution, not one of the parameters', async () => {
    const { stripe } = await startBench();
    const wrong = { emal: 'x' } as unknown as Stripe.CustomerCreateParams;
    await refusalOf(stripe.customers.create(wrong, { idempotencyKey: 'k1' }));
    await stripe.customers.create({ email: 'a@example.com' }, { idempotencyKey: 'k1' });
    const missing = await refusalOf(stripe.refunds.create({ charge: 'ch_none' }, { idempotencyKey: 'k2' }));
    const again = await refusalOf(stripe.refunds.create({ charge: 'ch_none' }, { idempotencyKey: 'k2' }));
    expect(again.message).toBe(missing.message);
    expect(again.headers?.['idempotent-replayed']).toBe('true');
  });

  it('that another request holds is refused with 409, and free again afterwards', async () => {
    const { simulator, stripe } = await startBench();
    const address = new URL(simulator.url);
    const slow = request({
      ...{ host: address.hostname, port: address.port, path: '/v1/customers', method: 'POST' },
      headers: { authorization: 'Bearer sk_test_simulator0000000000', 'idempotency-key': 'k1' },
    });
    const answered = once(slow, 'response');
    slow.write('name=');
    const second = () => stripe.customers.create({ name: 'slow' }, { idempotencyKey: 'k1' });
    await expect
      .poll(() =>
        refusalOf(second()).then(
          ({ code, statusCode }) => [statusCode, code],
          () => null,
        ),
      )
      .toEqual([409, 'idempotency_key_in_use']);
    slow.end('slow');
    const [answer] = await answered;
    expect(answer.statusCode).toBe(200);
    expect((await second()).name).toBe('slow');
    expect((await stripe.customers.list()).data).toHaveLength(1);
  });

  it('keeps a 500 of the execution', async () => {
    const { stripe, control } = await startBench();
    await control('fault', { status: 500 });
    const make = () => stripe.customers.create({}, { idempotencyKey: 'k1' });
    expect((await refusalOf(make())).statusCode).toBe(500);
    expect((await refusalOf(make())).statusCode).toBe(500);
    expect((await stripe.customers.list()).data).toEqual([]);
  });

  it('stands in the events that its request made', async () => {
    const { stripe } = await startBench();
    await stripe.customers.create({}, { idempotencyKey: 'k1' });
    const [event] = (await stripe.events.list()).data;
    expect(event?.request).toMatchObject({ idempotency_key: 'k1' });
    expect(event?.request?.id).toMatch(/^req_/);
  });
});

it('a rate limit refuses the calls beyond it, and says why', async () => {
  const { stripe } = await startBench({ rateLimit: 2 });
  const calls = Array.from({ length: 5 }, () => refusalOf(stripe.customers.list()).catch(() => null));
  const refused = (await Promise.all(calls)).filter((one) => one !== null);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]).toBeInstanceOf(Stripe.errors.StripeRateLimitError);
  expect(refused[0]?.headers?.['stripe-rate-limited-reason']).toBe('global-rate');
});

describe('lists', () => {
  it('come newest first, page by page, both ways', async () => {
    const { stripe } = await startBench();
    for (let i = 0; i < 5; i += 1) await stripe.customers.create({ name: `c${i}` });
    const names = (list: { data: Stripe.Customer[] }) => list.data.map((row) => row.name);
    const first = await stripe.customers.list({ limit: 2 });
    expect([names(first), first.has_more]).toEqual([['c4', 'c3'], true]);
    const second = await stripe.customers.list({ limit: 2, starting_after: first.data[1]?.id ?? '' });
    expect(names(second)).toEqual(['c2', 'c1']);
    const back = await stripe.customers.list({ limit: 2, ending_before: second.data[0]?.id ?? '' });
    expect([names(back), back.has_more]).toEqual([['c4', 'c3'], false]);
    const all: (string | null | undefined)[] = [];
    for await (const customer of stripe.customers.list({ limit: 2 })) all.push(customer.name);
    expect(all).toEqual(['c4', 'c3', 'c2', 'c1', 'c0']);
  });

  it.each([0, 101])('refuse a limit of %i', async (limit) => {
    const { stripe } = await startBench();
    expect((await refusalOf(stripe.customers.list({ limit }))).param).toBe('limit');
  });

  it('can be narrowed to a time', async () => {
    const bench = await startBench();
    await bench.stripe.customers.create({ name: 'early' });
    await bench.control('clock/advance', { days: 2 });
    const late = await bench.stripe.customers.create({ name: 'late' });
    const { data } = await bench.stripe.customers.list({ created: { gte: late.created } });
    expect(data.map((row) => row.name)).toEqual(['late']);
  });
});

describe('expand', () => {
  it('replaces ids by objects, also through lists and several levels', async () => {
    const bench = await startBench();
    const { subscription } = await buyPlan(bench);
    const one = await bench.stripe.subscriptions.retrieve(subscription.id, {
      expand: ['customer', 'latest_invoice.payments', 'items.data.price.product'],
    });
    expect(one.customer).toMatchObject({ object: 'customer' });
    expect(one.latest_invoice).toMatchObject({ payments: { data: [{ status: 'paid' }] } });
    expect(one.items.data[0]?.price.product).toMatchObject({ name: 'Club Plus' });
    const invoices = await bench.stripe.invoices.list({ expand: ['data.customer', 'data.payments'] });
    expect(invoices.data[0]?.customer).toMatchObject({ object: 'customer' });
    const invoice = await bench.stripe.invoices.retrieve(invoices.data[0]?.id ?? '', {
      expand: ['payments.data.payment.payment_intent'],
    });
    expect(invoice.payments?.data[0]?.payment.payment_intent).toMatchObject({ status: 'succeeded' });
    const plain = await bench.stripe.subscriptions.retrieve(subscription.id);
    expect(typeof plain.customer).toBe('string');
  });

  it.each([
    ['colour', 'This property cannot be expanded (colour).'],
    ['metadata', 'This property cannot be expanded (metadata).'],
    ['product.default_price.product.default_price.product', 'You cannot expand more than 4 levels'],
  ])('refuses %s', async (path, message) => {
    const { stripe } = await startBench();
    const refusal = await refusalOf(stripe.prices.retrieve('price_club_monthly', { expand: [path] }));
    expect(refusal.message).toContain(message);
  });

  it('that is refused leaves everything as it was', async () => {
    const bench = await startBench();
    const { subscription } = await buyPlan(bench);
    const { stripe } = bench;
    const before = await bench.control('state');
    const calls = [
      stripe.customers.create({ email: 'left@example.com', expand: ['cash_balance'] }),
      stripe.customers.create({ email: 'left@example.com', expand: ['colour'] }),
      stripe.subscriptions.cancel(subscription.id, { expand: ['customer.colour'] }),
      stripe.subscriptions.update(subscription.id, { metadata: { a: 'b' }, expand: ['data.customer'] }),
    ];
    for (const call of calls)
      expect(await refusalOf(call)).toMatchObject({ statusCode: 400, param: 'expand' });
    expect(await bench.control('state')).toEqual(before);
  });

  it.each([
    ['cash_balance', 'The simulator cannot expand `cash_balance`, which Stripe can'],
    ['sources', 'The simulator cannot expand `sources`'],
    ['address', 'This property cannot be expanded (address).'],
    ['subscriptions.customer', 'This property cannot be expanded'],
  ])('tells %s, which only Stripe has, from what nobody has', async (path, message) => {
    const { stripe } = await startBench();
    const refusal = await refusalOf(stripe.customers.create({ expand: [path] }));
    expect(refusal.message).toContain(message);
  });

  it('shows what Stripe leaves out: tax, credit balance, an invoice’s secret, a charge’s balance transaction', async () => {
    const bench = await startBench();
    const { subscription, customer } = await buyPlan(bench);
    const shown = await bench.stripe.customers.retrieve(customer, {
      expand: ['tax', 'invoice_credit_balance'],
    });
    expect(shown).toMatchObject({
      tax: { automatic_tax: 'unrecognized_location', location: null },
      invoice_credit_balance: { eur: 0 },
    });
    const paid = await bench.stripe.subscriptions.retrieve(subscription.id, {
      expand: ['latest_invoice.confirmation_secret'],
    });
    expect(paid.latest_invoice).toMatchObject({ confirmation_secret: { type: 'payment_intent' } });
    const { data } = await bench.stripe.charges.list({ customer, expand: ['data.balance_transaction'] });
    expect(data[0]?.balance_transaction).toMatchObject({
      amount: 1900,
      fee: 85,
      net: 1815,
      source: data[0]?.id,
    });
    const booked = await bench.stripe.balanceTransactions.list({ source: data[0]?.id ?? '' });
    expect(booked.data).toHaveLength(1);
  });

  it('replaces the ids of a list, and takes what is null or deleted for what it is', async () => {
    const bench = await startBench();
    const { subscription, customer } = await buyPlan(bench);
    const coupon = await bench.stripe.coupons.create({ percent_off: 10 });
    const discounted = await bench.stripe.subscriptions.update(subscription.id, {
      discounts: [{ coupon: coupon.id }],
      expand: ['discounts.source.coupon', 'schedule', 'pending_setup_intent'],
    });
    expect(discounted.discounts).toMatchObject([
      { object: 'discount', source: { coupon: { percent_off: 10 } } },
    ]);
    expect(discounted.schedule).toBeNull();
    await bench.stripe.customers.del(customer);
    const orphan = await bench.stripe.subscriptions.retrieve(subscription.id, { expand: ['customer'] });
    expect(orphan.customer).toEqual({ id: customer, object: 'customer', deleted: true });
  });
});

describe('a call that is refused on the way', () => {
  it('leaves everything as it was', async () => {
    const bench = await startBench();
    const { stripe } = bench;
    const { id: customer } = await stripe.customers.create({ email: 'a@example.com' });
    const monthly = await bench.price('club_monthly');
    const lifetime = await bench.price('club_forever');
    const card = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer });
    const before = await bench.control('state');
    const priced = { currency: 'usd', unit_amount: 500, product_data: { name: 'Left over' } };
    await refusalOf(stripe.customers.create({ payment_method: 'pm_none' }));
    await refusalOf(
      stripe.checkout.sessions.create({
        mode: 'payment',
        success_url: 'https://example.com',
        line_items: [
          { price_data: priced, quantity: 1 },
          { price: 'price_none', quantity: 1 },
        ],
      }),
    );
    await refusalOf(
      stripe.subscriptions.create({
        customer,
        default_payment_method: card.id,
        items: [{ price: lifetime.id }],
      }),
    );
    const refused = await refusalOf(
      stripe.subscriptions.create({
        customer,
        default_payment_method: card.id,
        items: [{ price: monthly.id }],
        payment_behavior: 'error_if_incomplete',
      }),
    );
    expect(refused).toMatchObject({ statusCode: 402, code: 'card_declined' });
    await refusalOf(
      stripe.prices.create({
        currency: 'usd',
        unit_amount: 500,
        product: 'prod_none',
        lookup_key: 'club_monthly',
        transfer_lookup_key: true,
      }),
    );
    expect(await bench.control('state')).toEqual(before);
  });
});

describe('the catalog', () => {
  it('is what the simulator was given, found by lookup key', async () => {
    const { stripe } = await startBench();
    const { data } = await stripe.prices.list({ active: true, expand: ['data.product'] });
    const rows = data.map(({ lookup_key, unit_amount, currency, recurring, metadata, product }) => ({
      lookupKey: lookup_key,
      name: typeof product === 'object' && 'name' in product ? product.name : product,
      amount: unit_amount,
      currency,
      interval: recurring?.interval ?? null,
      metadata,
    }));
    const given = CATALOG.map(({ description: _, metadata = {}, ...entry }) => ({ ...entry, metadata }));
    expect(rows.reverse()).toEqual(given);
  });

  it('moves a lookup key to a new price only when asked to transfer it', async () => {
    const { stripe } = await startBench();
    const params = {
      product: 'prod_club_monthly',
      currency: 'usd',
      unit_amount: 1100,
      recurring: { interval: 'month' as const },
      lookup_key: 'club_monthly',
    };
    const refusal = await refusalOf(stripe.prices.create(params));
    expect(refusal.message).toContain('already uses that lookup key');
    const price = await stripe.prices.create({ ...params, transfer_lookup_key: true });
    const { data } = await stripe.prices.list({ lookup_keys: ['club_monthly'] });
    expect(data.map((row) => row.id)).toEqual([price.id]);
    expect((await stripe.prices.retrieve('price_club_monthly')).lookup_key).toBeNull();
  });

  it('takes no more than ten lookup keys at once', async () => {
    const { stripe } = await startBench();
    const keys = Array.from({ length: 11 }, (_, index) => `k${index}`);
    expect((await refusalOf(stripe.prices.list({ lookup_keys: keys }))).param).toBe('lookup_keys');
  });

  it('grows by products and prices', async () => {
    const { stripe } = await startBench();
    const product = await stripe.products.create({ name: 'Book', metadata: { a: '1', b: '2' } });
    const price = await stripe.prices.create({ product: product.id, currency: 'EUR', unit_amount: 1200 });
    expect(price).toMatchObject({ type: 'one_time', currency: 'eur', active: true });
    const changed = await stripe.products.update(product.id, { name: 'Novel', metadata: { a: '' } });
    expect(changed).toMatchObject({ name: 'Novel', metadata: { b: '2' } });
    expect((await refusalOf(stripe.products.del(product.id))).statusCode).toBe(400);
    await stripe.prices.update(price.id, { active: false });
    expect((await stripe.prices.list({ product: product.id, active: true })).data).toEqual([]);
  });
});

describe('a deleted customer', () => {
  it('is answered as deleted, and its subscriptions end', async () => {
    const bench = await startBench();
    const { customer, subscription } = await buyPlan(bench);
    await bench.stripe.customers.del(customer);
    expect(await bench.stripe.customers.retrieve(customer)).toMatchObject({ id: customer, deleted: true });
    expect((await bench.stripe.subscriptions.retrieve(subscription.id)).status).toBe('canceled');
  });
});
