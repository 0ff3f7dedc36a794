import type Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { type Bench, buyPlan, refusalOf, startBench } from '../../test/harness.ts';
import { API_VERSION } from '../state/world.ts';
import type { Operation } from './operations.ts';
import type { RequestSchema } from './parameters.ts';
import { requestSchema } from './schemas.ts';
import { SUPPORTED } from './supported.ts';

type SessionParams = Stripe.Checkout.SessionCreateParams;

const session = (params: Partial<SessionParams> & { amount?: number; currency?: string }): SessionParams => {
  const { amount = 500, currency = 'usd', ...others } = params;
  const price_data = { currency, unit_amount: amount, product_data: { name: 'Pack' } };
  return {
    mode: 'payment',
    success_url: 'https://example.com/done?session={CHECKOUT_SESSION_ID}',
    line_items: [{ price_data, quantity: 1 }],
    ...others,
  };
};

describe('an amount', () => {
  it.each([
    ['usd', 49, '$0.50 usd'],
    ['jpy', 49, '¥50 jpy'],
    ['huf', 17_499, 'HUF 175.00 huf'],
    ['gbp', 29, '£0.30 gbp'],
  ])('of %s under the least that Stripe charges is refused', async (currency, amount, least) => {
    const { stripe } = await startBench();
    const refusals = [
      await refusalOf(stripe.paymentIntents.create({ amount, currency })),
      await refusalOf(stripe.checkout.sessions.create(session({ amount, currency }))),
    ];
    for (const refusal of refusals) {
      expect(refusal).toMatchObject({ statusCode: 400, code: 'amount_too_small' });
      expect(refusal.message.replaceAll('\u00a0', ' ')).toContain(`at least ${least}`);
    }
    expect((await stripe.paymentIntents.create({ amount: amount + 1, currency })).amount).toBe(amount + 1);
  });

  it('is what a session comes to after its discount, and nothing may be free', async () => {
    const { stripe } = await startBench();
    const most = await stripe.coupons.create({ percent_off: 95 });
    const all = await stripe.coupons.create({ percent_off: 100 });
    const small = session({ discounts: [{ coupon: most.id }] });
    expect((await refusalOf(stripe.checkout.sessions.create(small))).code).toBe('amount_too_small');
    const free = await stripe.checkout.sessions.create(session({ discounts: [{ coupon: all.id }] }));
    expect(free.amount_total).toBe(0);
  });

  it('of an invoice that is too small to be charged waits on the balance for the next', async () => {
    const { stripe } = await startBench();
    const { id: customer } = await stripe.customers.create({
      payment_method: 'pm_card_visa',
      invoice_settings: { default_payment_method: 'pm_card_visa' },
    });
    await stripe.invoiceItems.create({ customer, amount: 30, currency: 'usd' });
    const draft = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' });
    const invoice = await stripe.invoices.pay(draft.id);
    expect(invoice).toMatchObject({ status: 'paid', total: 30, amount_due: 0, ending_balance: 30 });
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ balance: 30 });
  });
});

describe('an address to come back to', () => {
  it.each([
    'x',
    'chrome-extension://abcdefghijklmnop/done.html',
    'zzz',
    'javascript:alert(1)',
    'ftp://a.test/',
  ])('such as %s is not a valid URL', async (url) => {
    const { stripe } = await startBench();
    const { id: customer } = await stripe.customers.create();
    const calls: [string, Promise<unknown>][] = [
      ['success_url', stripe.checkout.sessions.create(session({ success_url: url }))],
      ['cancel_url', stripe.checkout.sessions.create(session({ cancel_url: url }))],
      ['return_url', stripe.billingPortal.sessions.create({ customer, return_url: url })],
      [
        'default_return_url',
        stripe.billingPortal.configurations.create({
          default_return_url: url,
          features: { invoice_history: { enabled: true } },
        }),
      ],
    ];
    for (const [param, call] of calls)
      expect(await refusalOf(call)).toMatchObject({
        statusCode: 400,
        param,
        code: 'url_invalid',
        message: 'Not a valid URL',
      });
  });
});

describe('an e-mail address that is none', () => {
  it('is refused wherever one is given', async () => {
    const { stripe } = await startBench();
    const { id } = await stripe.customers.create({ email: 'a@example.com' });
    const calls = [
      stripe.customers.create({ email: 'nope' }),
      stripe.customers.update(id, { email: 'nope', name: 'Left over' }),
      stripe.checkout.sessions.create(session({ customer_email: 'nope' })),
      stripe.paymentIntents.create({ amount: 500, currency: 'usd', receipt_email: 'nope' }),
      stripe.paymentMethods.create({
        type: 'card',
        card: { token: 'tok_visa' },
        billing_details: { email: 'nope' },
      }),
    ];
    for (const call of calls)
      expect(await refusalOf(call)).toMatchObject({
        code: 'email_invalid',
        message: 'Invalid email address: nope',
      });
    expect(await stripe.customers.retrieve(id)).toMatchObject({ email: 'a@example.com', name: null });
  });
});

describe('a currency', () => {
  const product = 'prod_club_monthly';

  it('that Stripe does not know is refused wherever one is given', async () => {
    const { stripe } = await startBench();
    const { id: customer } = await stripe.customers.create();
    const calls = [
      stripe.prices.create({ currency: 'xxx', unit_amount: 500, product }),
      stripe.products.create({ name: 'P', default_price_data: { currency: 'xxx', unit_amount: 500 } }),
      stripe.paymentIntents.create({ amount: 500, currency: 'xxx' }),
      stripe.checkout.sessions.create(session({ currency: 'xxx' })),
      stripe.coupons.create({ amount_off: 100, currency: 'xxx' }),
      stripe.invoiceItems.create({ customer, amount: 100, currency: 'xxx' }),
      stripe.customers.createBalanceTransaction(customer, { amount: 100, currency: 'xxx' }),
    ];
    for (const call of calls)
      expect((await refusalOf(call)).message).toMatch(/^Invalid currency: xxx\. Stripe currently supports/);
    expect((await stripe.products.list({ limit: 100 })).data.map((row) => row.name)).not.toContain('P');
  });

  /** A subscriber in euros, and the price of a plan in dollars. */
  async function eurosAndDollars(bench: Bench) {
    const { customer, subscription } = await buyPlan(bench);
    const dollars = await bench.stripe.prices.create({
      currency: 'usd',
      unit_amount: 900,
      recurring: { interval: 'month' },
      product,
    });
    return { customer, subscription, dollars };
  }

  it('is one for all that bills a customer at a time', async () => {
    const bench = await startBench();
    const { customer, subscription, dollars } = await eurosAndDollars(bench);
    const { stripe } = bench;
    const mode = 'subscription' as const;
    const line_items = [{ price: dollars.id, quantity: 1 }];
    const calls = [
      stripe.subscriptions.create({ customer, items: [{ price: dollars.id }] }),
      stripe.invoiceItems.create({ customer, amount: 100, currency: 'usd' }),
      stripe.checkout.sessions.create(session({ mode, customer, line_items })),
    ];
    for (const call of calls)
      expect((await refusalOf(call)).message).toContain('You cannot combine currencies on a single customer');
    const once = await stripe.checkout.sessions.create(session({ customer, currency: 'usd' }));
    expect(once.currency).toBe('usd');
    await stripe.subscriptions.cancel(subscription.id);
    const next = await stripe.subscriptions.create({
      customer,
      items: [{ price: dollars.id }],
      default_payment_method: 'pm_card_visa',
    });
    expect(next.currency).toBe('usd');
  });

  it('of a page opened before is refused when it is paid', async () => {
    const bench = await startBench();
    const { id: customer } = await bench.stripe.customers.create();
    const recurring = { interval: 'month' as const };
    const dollars = await bench.stripe.prices.create({
      currency: 'usd',
      unit_amount: 900,
      recurring,
      product,
    });
    const open = await bench.stripe.checkout.sessions.create(
      session({ mode: 'subscription', customer, line_items: [{ price: dollars.id, quantity: 1 }] }),
    );
    await buyPlan(bench, { customer });
    const answer = await fetch(`${bench.simulator.url}/_sim/checkout/${open.id}/pay`, {
      method: 'POST',
      body: '{}',
    });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect((await bench.stripe.subscriptions.list({ customer })).data).toHaveLength(1);
  });

  it('stands in a line as it is written in that currency', async () => {
    const { stripe } = await startBench();
    const recurring = { interval: 'month' as const };
    const yen = await stripe.prices.create({ currency: 'jpy', unit_amount: 900, recurring, product });
    const { id: customer } = await stripe.customers.create();
    const preview = await stripe.invoices.createPreview({
      customer,
      subscription_details: { items: [{ price: yen.id }] },
    });
    expect(preview.lines.data[0]?.description).toBe('1 × Club (at ¥900 / month)');
  });
});

describe('a refund', () => {
  it('that is too large is refused in the charge’s own currency', async () => {
    const { stripe } = await startBench();
    const intent = await stripe.paymentIntents.create({
      amount: 900,
      currency: 'jpy',
      payment_method: 'pm_card_visa',
      confirm: true,
    });
    const refusal = await refusalOf(stripe.refunds.create({ payment_intent: intent.id, amount: 901 }));
    expect(refusal.message).toBe('Refund amount (¥901) is greater than charge amount (¥900)');
  });
});

describe('a type of event', () => {
  it('that Stripe does not have is refused', async () => {
    const { stripe } = await startBench();
    const url = 'https://example.com/hook';
    const bogus = [
      'invoice.paid',
      'bogus.event',
    ] as unknown as Stripe.WebhookEndpointCreateParams.EnabledEvent[];
    const refusal = await refusalOf(stripe.webhookEndpoints.create({ url, enabled_events: bogus }));
    expect(refusal).toMatchObject({ statusCode: 400, param: 'enabled_events[1]' });
    const endpoint = await stripe.webhookEndpoints.create({ url, enabled_events: ['*'] });
    await refusalOf(
      stripe.webhookEndpoints.update(endpoint.id, { url: 'https://other.test', enabled_events: bogus }),
    );
    expect((await stripe.webhookEndpoints.retrieve(endpoint.id)).url).toBe(url);
  });
});

describe('an empty value', () => {
  it('unsets what can be unset', async () => {
    const { stripe } = await startBench();
    const nobody = await stripe.customers.create({ name: '', email: '', description: '', phone: '' });
    expect(nobody).toMatchObject({ name: null, email: null, description: null, phone: null });
    const coupon = await stripe.coupons.create({ percent_off: 10, name: 'Ten' });
    expect((await stripe.coupons.update(coupon.id, { name: '' })).name).toBeNull();
    const intent = await stripe.paymentIntents.create({ amount: 500, currency: 'usd', description: 'One' });
    expect((await stripe.paymentIntents.update(intent.id, { description: '' })).description).toBeNull();
    const price = await stripe.prices.update('price_club_monthly', { nickname: '' });
    expect(price.nickname).toBeNull();
    const product = await stripe.products.create({ name: 'P', description: '', unit_label: '' });
    expect(product).toMatchObject({ description: null, unit_label: null });
  });

  it('is refused where there must be one', async () => {
    const { stripe } = await startBench();
    const calls = [
      stripe.products.create({ name: '' }),
      stripe.products.update('prod_club_monthly', { name: '' }),
    ];
    for (const call of calls)
      expect(await refusalOf(call)).toMatchObject({ code: 'parameter_invalid_empty', param: 'name' });
  });
});

/** The schemas that a step of a path may lead to, through lists and alternatives. */
function into(schema: RequestSchema, step: string): RequestSchema[] {
  const reached = [schema, ...(schema.anyOf ?? [])].flatMap((one) =>
    one.items === undefined ? [one] : [one, one.items, ...(one.items.anyOf ?? [])],
  );
  return reached.flatMap((one) => one.properties?.[step] ?? []);
}

function reaches(operation: Operation, path: string): boolean {
  const schemas = [requestSchema(operation), requestSchema(operation, API_VERSION)];
  return path
    .split('.')
    .reduce((found, step) => found.flatMap((schema) => into(schema, step)), schemas)
    .some(() => true);
}

describe('the table of supported parameters', () => {
  it('names only what Stripe’s document has, each once', () => {
    for (const [operation, text] of Object.entries(SUPPORTED)) {
      const names = text.split(' ').map((entry) => entry.replace('+', '').split('=')[0] ?? '');
      const unknown = names.filter((name) => !reaches(operation as Operation, name));
      expect(unknown, operation).toEqual([]);
      expect(names.length, operation).toBe(new Set(names).size);
    }
  });
});

describe('a parameter that Stripe has and the simulator does not support', () => {
  it.each([
    ['transfer_data[destination]', 'transfer_data'],
    ['collection_method', 'collection_method'],
    ['items[0][tax_rates][0]', 'items[0][tax_rates]'],
  ])('is refused by its name: %s', async (sent, named) => {
    const bench = await startBench();
    const { subscription } = await buyPlan(bench);
    const value = sent === 'collection_method' ? 'send_invoice' : 'txr_1';
    const answer = await fetch(`${bench.simulator.url}/v1/subscriptions/${subscription.id}`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk_test_simulator0000000000' },
      body: new URLSearchParams({ [sent]: value, 'metadata[changed]': 'yes' }),
    });
    expect(answer.status).toBe(400);
    const { error } = (await answer.json()) as { error: { message: string; param: string; type: string } };
    expect(error).toMatchObject({ param: named, type: 'invalid_request_error' });
    expect(error.message).toContain('which Stripe has');
    const same = await bench.stripe.subscriptions.retrieve(subscription.id);
    expect(same.metadata).toEqual({});
  });

  it('is refused in lists too: what is not filtered by would answer too much', async () => {
    const { stripe } = await startBench();
    const refusal = await refusalOf(stripe.subscriptions.list({ current_period_end: { gt: 1 } }));
    expect(refusal.param).toBe('current_period_end');
  });

  it('is refused if only a page would look different', async () => {
    const { stripe, price } = await startBench();
    const refusal = await refusalOf(
      stripe.checkout.sessions.create({
        mode: 'payment',
        line_items: [{ price: (await price('coins_small')).id, quantity: 1 }],
        success_url: 'https://example.com/done',
        custom_text: { submit: { message: 'Thank you' } },
      }),
    );
    expect(refusal.param).toBe('custom_text');
  });
});

describe('a parameter that the simulator only keeps', () => {
  const shipping = { name: 'Ada', address: { line1: 'Main St 1', city: 'Berlin', country: 'DE' } };
  const shown = {
    name: 'Ada',
    address: { ...shipping.address, line2: null, postal_code: null, state: null },
  };

  it('is shown on a customer, who puts footer, fields and address on invoices', async () => {
    const { stripe } = await startBench();
    const customer = await stripe.customers.create({
      shipping,
      preferred_locales: ['de'],
      tax_exempt: 'exempt',
      invoice_settings: { footer: 'Thank you', custom_fields: [{ name: 'PO', value: '7' }] },
    });
    expect(customer).toMatchObject({
      shipping: shown,
      preferred_locales: ['de'],
      tax_exempt: 'exempt',
      invoice_settings: { footer: 'Thank you', custom_fields: [{ name: 'PO', value: '7' }] },
    });
    const [created] = (await stripe.events.list({ type: 'customer.created' })).data;
    expect(created?.data.object).toMatchObject({ shipping: shown });
    const invoice = await stripe.invoices.create({ customer: customer.id });
    expect(invoice).toMatchObject({
      footer: 'Thank you',
      custom_fields: [{ name: 'PO', value: '7' }],
      customer_shipping: shown,
    });
    const cleared = await stripe.customers.update(customer.id, {
      shipping: '',
      invoice_settings: { footer: '' },
    });
    expect(cleared).toMatchObject({ shipping: null, invoice_settings: { footer: null } });
  });

  it('is shown on products, intents and their charges, and payment methods', async () => {
    const { stripe } = await startBench();
    const product = await stripe.products.create({
      name: 'Mug',
      marketing_features: [{ name: 'Holds tea' }],
      package_dimensions: { height: 1, length: 2, weight: 3, width: 4 },
      shippable: true,
    });
    expect(product).toMatchObject({
      marketing_features: [{ name: 'Holds tea' }],
      package_dimensions: { height: 1, length: 2, weight: 3, width: 4 },
      shippable: true,
    });
    const intent = await stripe.paymentIntents.create({
      amount: 500,
      currency: 'usd',
      payment_method: 'pm_card_visa',
      confirm: true,
      shipping,
      statement_descriptor_suffix: 'MUG',
      automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
      expand: ['latest_charge'],
    });
    expect(intent).toMatchObject({
      shipping: shown,
      automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
      latest_charge: { shipping: shown, statement_descriptor_suffix: 'MUG' },
    });
    const card = await stripe.paymentMethods.create({
      type: 'card',
      card: { token: 'tok_visa' },
      billing_details: { address: { country: 'DE' }, phone: '+49' },
      allow_redisplay: 'always',
    });
    expect(card).toMatchObject({
      allow_redisplay: 'always',
      billing_details: { address: { country: 'DE', city: null }, phone: '+49' },
    });
    expect((await stripe.paymentMethods.update(card.id, { card: { exp_year: 2040 } })).card?.exp_year).toBe(
      2040,
    );
  });
});

describe('a subscription’s settings', () => {
  it('keep the card that paid, if they say so', async () => {
    const { stripe, price } = await startBench();
    const { id: customer } = await stripe.customers.create({
      payment_method: 'pm_card_visa',
      invoice_settings: { default_payment_method: 'pm_card_visa' },
    });
    const items = [{ price: (await price('club_monthly')).id }];
    const saving = await stripe.subscriptions.create({
      customer,
      items,
      payment_settings: { save_default_payment_method: 'on_subscription' },
    });
    expect(saving.payment_settings?.save_default_payment_method).toBe('on_subscription');
    expect(saving.default_payment_method).toMatch(/^pm_/);
    expect((await stripe.subscriptions.create({ customer, items })).default_payment_method).toBeNull();
  });

  it('take a discount, tax and metadata of the item', async () => {
    const bench = await startBench();
    const { subscription } = await buyPlan(bench, { lookupKey: 'club_monthly' });
    const coupon = await bench.stripe.coupons.create({ percent_off: 50, duration: 'forever' });
    const changed = await bench.stripe.subscriptions.update(subscription.id, {
      automatic_tax: { enabled: true },
      discounts: [{ coupon: coupon.id }],
      items: [{ id: subscription.items.data[0]?.id ?? '', metadata: { seat: '1' } }],
    });
    expect(changed.automatic_tax.enabled).toBe(true);
    expect(changed.items.data[0]?.metadata).toEqual({ seat: '1' });
    await bench.control('clock/advance', { days: 32 });
    const [renewal] = (await bench.stripe.invoices.list({ subscription: subscription.id })).data;
    expect(renewal?.amount_paid).toBe(450);
  });
});

describe('an amount that Stripe can’t charge is refused', () => {
  it.each([
    ['of nine digits', { unit_amount: 100_000_000, currency: 'usd' }],
    ['with a third decimal other than 0', { unit_amount: 2905, currency: 'kwd' }],
    ['of ISK with hundredths', { unit_amount: 1234, currency: 'isk' }],
  ])('%s', async (_, given) => {
    const { stripe } = await startBench();
    const { id: product } = await stripe.products.create({ name: 'Pack' });
    expect(await refusalOf(stripe.prices.create({ product, ...given }))).toMatchObject({
      param: 'unit_amount',
    });
    const described = session({ amount: given.unit_amount, currency: given.currency });
    expect(await refusalOf(stripe.checkout.sessions.create(described))).toMatchObject({
      param: 'line_items[0][price_data][unit_amount]',
    });
  });
});

describe('what is archived is refused', () => {
  it('as a product, by checkout and by a new subscription', async () => {
    const { stripe, price } = await startBench();
    const { id, product } = await price('club_monthly');
    await stripe.products.update(String(product), { active: false });
    const { id: customer } = await stripe.customers.create({ source: 'tok_visa' });
    const line_items = [{ price: id, quantity: 1 }];
    const refusals = [
      stripe.checkout.sessions.create({ mode: 'subscription', success_url: 'https://a.test/', line_items }),
      stripe.subscriptions.create({ customer, items: [{ price: id }] }),
    ];
    for (const refused of refusals)
      expect((await refusalOf(refused)).message).toContain('its product is not active');
  });

  it('as a price, by a new subscription', async () => {
    const { stripe, price } = await startBench();
    const { id } = await price('club_monthly');
    await stripe.prices.update(id, { active: false });
    const { id: customer } = await stripe.customers.create({ source: 'tok_visa' });
    expect(await refusalOf(stripe.subscriptions.create({ customer, items: [{ price: id }] }))).toMatchObject({
      param: 'items[0][price]',
    });
  });

  it('as a promotion code named by its id', async () => {
    const { stripe } = await startBench();
    const { id: coupon } = await stripe.coupons.create({ percent_off: 10 });
    const code = await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon } });
    await stripe.promotionCodes.update(code.id, { active: false });
    const discounted = session({ discounts: [{ promotion_code: code.id }] });
    expect(await refusalOf(stripe.checkout.sessions.create(discounted))).toMatchObject({
      param: 'discounts[0][promotion_code]',
    });
  });
});

it('a charge that the bank took back is not refunded as well', async () => {
  const { stripe, control } = await startBench();
  const { latest_charge: charge } = await stripe.paymentIntents.create({
    amount: 500,
    currency: 'usd',
    payment_method: 'pm_card_visa',
    confirm: true,
    return_url: 'https://a.test/',
  });
  await control('dispute', { charge });
  expect(await refusalOf(stripe.refunds.create({ charge: String(charge) }))).toMatchObject({
    code: 'charge_disputed',
  });
});

it('a portal switches between ten products at most', async () => {
  const { stripe } = await startBench();
  const products = [];
  for (let count = 0; count < 11; count += 1) {
    const { id: product } = await stripe.products.create({ name: `Plan ${count}` });
    const { id } = await stripe.prices.create({
      product,
      currency: 'usd',
      unit_amount: 500,
      recurring: { interval: 'month' },
    });
    products.push({ product, prices: [id] });
  }
  const features = {
    subscription_update: { enabled: true, default_allowed_updates: ['price' as const], products },
  };
  expect(await refusalOf(stripe.billingPortal.configurations.create({ features }))).toMatchObject({
    param: 'features[subscription_update][products]',
  });
});

describe('an API version', () => {
  it.each([
    ['bogus', 'Invalid Stripe API version'],
    ['2099-01-01.fig', 'Invalid Stripe API version'],
    ['2020-08-27', 'whose objects have other fields'],
  ])('such as %s is refused', async (version, message) => {
    const { stripe } = await startBench();
    const refusal = await refusalOf(stripe.products.list({}, { apiVersion: version }));
    expect(refusal.message).toContain(message);
  });

  it('that is asked for is the one that is answered', async () => {
    const { stripe } = await startBench();
    const listed = await stripe.products.list({}, { apiVersion: '2025-09-30.clover' });
    expect(listed.lastResponse.apiVersion).toBe('2025-09-30.clover');
  });
});

it('there is no search, rather than an object with the id "search"', async () => {
  const { stripe } = await startBench();
  expect(await refusalOf(stripe.customers.search({ query: "email:'a@b.test'" }))).toMatchObject({
    statusCode: 404,
    message: expect.stringContaining('Unrecognized request URL'),
  });
});
