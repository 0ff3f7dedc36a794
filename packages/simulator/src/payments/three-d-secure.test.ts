import type Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { type Bench, buyPlan, DAY, refusalOf, startBench } from '../../test/harness.ts';

const RETURN = { return_url: 'https://example.com/back?order=1' };

async function payWith(bench: Bench, card: string, params: Partial<Stripe.PaymentIntentCreateParams> = {}) {
  return bench.stripe.paymentIntents.create({
    amount: 500,
    currency: 'usd',
    payment_method: card,
    confirm: true,
    ...params,
  });
}

/** A customer whose default card is that one, and a way to subscribe them. */
async function customerWith(card: string) {
  const bench = await startBench();
  const { id: customer } = await bench.stripe.customers.create();
  const method = await bench.stripe.paymentMethods.attach(card, { customer });
  await bench.stripe.customers.update(customer, { invoice_settings: { default_payment_method: method.id } });
  const price = (await bench.price('club_monthly')).id;
  const subscribe = (params: Partial<Stripe.SubscriptionCreateParams> = {}) =>
    bench.stripe.subscriptions.create({ customer, items: [{ price }], ...params });
  const newest = async (): Promise<{ invoice: Stripe.Invoice; intent: Stripe.PaymentIntent }> => {
    const [invoice] = (await bench.stripe.invoices.list({ customer })).data;
    const [intent] = (await bench.stripe.paymentIntents.list({ customer })).data;
    if (invoice === undefined || intent === undefined) throw new Error('No invoice or no intent');
    return { invoice, intent };
  };
  return { bench, customer, method, subscribe, newest };
}

describe('a payment whose bank asks', () => {
  it.each([
    ['pm_card_threeDSecure2Required', 'succeeded'],
    ['pm_card_threeDSecureRequired', 'succeeded'],
    ['pm_card_authenticationRequired', 'succeeded'],
    ['pm_card_authenticationRequiredOnSetup', 'succeeded'],
    ['pm_card_threeDSecureRequiredChargeDeclined', 'requires_payment_method'],
  ])('with %s requires action, and after it %s', async (card, status) => {
    const bench = await startBench();
    const intent = await payWith(bench, card);
    expect(intent).toMatchObject({
      status: 'requires_action',
      next_action: { type: 'use_stripe_sdk' },
      latest_charge: null,
      last_payment_error: null,
      amount_received: 0,
    });
    expect(intent.payment_method).toMatch(/^pm_/);
    expect(await bench.eventTypes()).toEqual(['payment_intent.created', 'payment_intent.requires_action']);
    const answered = await bench.control(`payment_intents/${intent.id}/authenticate`, {});
    expect(answered).toEqual({ status, redirect: null });
    expect(await bench.stripe.paymentIntents.retrieve(intent.id)).toMatchObject({
      status,
      next_action: null,
    });
  });

  it('leads to the bank’s page and from there back, where an address was named', async () => {
    const bench = await startBench();
    const intent = await payWith(bench, 'pm_card_threeDSecure2Required', RETURN);
    const { redirect_to_url: next } = intent.next_action ?? {};
    expect(intent.next_action?.type).toBe('redirect_to_url');
    expect(next?.return_url).toBe(RETURN.return_url);
    const page = await fetch(next?.url ?? '');
    expect(await page.text()).toContain('Your bank asks you to confirm');
    const answer = await fetch(next?.url ?? '', {
      method: 'POST',
      body: new URLSearchParams({ result: 'ok' }),
      redirect: 'manual',
    });
    const back = new URL(answer.headers.get('location') ?? '');
    expect(Object.fromEntries(back.searchParams)).toEqual({
      order: '1',
      payment_intent: intent.id,
      payment_intent_client_secret: intent.client_secret,
      redirect_status: 'succeeded',
    });
    expect((await bench.stripe.paymentIntents.retrieve(intent.id)).status).toBe('succeeded');
    expect(await (await fetch(next?.url ?? '')).text()).toContain('The payment was confirmed');
  });

  it('that is not confirmed wants another card, and takes it', async () => {
    const bench = await startBench();
    const { id } = await payWith(bench, 'pm_card_authenticationRequired');
    await bench.control(`payment_intents/${id}/authenticate`, { passed: false });
    const failed = await bench.stripe.paymentIntents.retrieve(id);
    expect(failed).toMatchObject({
      status: 'requires_payment_method',
      last_payment_error: { code: 'payment_intent_authentication_failure' },
    });
    const paid = await bench.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    expect(paid.status).toBe('succeeded');
  });

  it('is declined at once while its customer is away', async () => {
    const bench = await startBench();
    const refusal = await refusalOf(payWith(bench, 'pm_card_authenticationRequired', { off_session: true }));
    expect(refusal).toMatchObject({ statusCode: 402, code: 'authentication_required' });
    const setUp = await payWith(bench, 'pm_card_authenticationRequiredOnSetup', { off_session: true });
    expect(setUp.status).toBe('succeeded');
  });

  it('is over once it is cancelled', async () => {
    const bench = await startBench();
    const { id } = await payWith(bench, 'pm_card_authenticationRequired');
    expect((await bench.stripe.paymentIntents.cancel(id)).next_action).toBeNull();
    const response = await fetch(`${bench.simulator.url}/_sim/payment_intents/${id}/authenticate`, {
      method: 'POST',
      body: '{}',
    });
    expect(response.status).toBe(400);
  });
});

describe('a subscription whose bank asks', () => {
  it('is incomplete, with an invoice that nobody has tried in vain, as recorded', async () => {
    const { bench, subscribe, newest } = await customerWith('pm_card_authenticationRequired');
    const subscription = await subscribe();
    expect(subscription.status).toBe('incomplete');
    const { invoice, intent } = await newest();
    expect(invoice).toMatchObject({
      status: 'open',
      attempt_count: 0,
      attempted: true,
      auto_advance: true,
      next_payment_attempt: null,
    });
    expect(intent).toMatchObject({
      status: 'requires_action',
      capture_method: 'automatic',
      latest_charge: null,
      setup_future_usage: 'off_session',
    });
    expect((await bench.eventTypes()).slice(-2)).toEqual([
      'payment_intent.requires_action',
      'invoice.payment_action_required',
    ]);
    await bench.control(`payment_intents/${intent.id}/authenticate`, {});
    expect((await bench.stripe.subscriptions.retrieve(subscription.id)).status).toBe('active');
    expect((await newest()).invoice).toMatchObject({ status: 'paid', attempt_count: 1 });
  });

  it('ends if nobody answers for a day', async () => {
    const { bench, subscribe } = await customerWith('pm_card_threeDSecure2Required');
    const { id } = await subscribe();
    await bench.control('clock/advance', { days: 1 });
    expect((await bench.stripe.subscriptions.retrieve(id)).status).toBe('incomplete_expired');
  });

  it('is not made where it must be paid at once', async () => {
    const { bench, subscribe } = await customerWith('pm_card_threeDSecure2Required');
    const refusal = await refusalOf(subscribe({ payment_behavior: 'error_if_incomplete' }));
    expect(refusal).toMatchObject({
      statusCode: 402,
      code: 'subscription_payment_intent_requires_action',
    });
    expect((await bench.stripe.subscriptions.list()).data).toEqual([]);
  });

  it('that waits for its first payment is active once the page has confirmed it', async () => {
    const { bench, subscribe, newest } = await customerWith('pm_card_visa');
    const { id } = await subscribe({ payment_behavior: 'default_incomplete' });
    await bench.stripe.paymentIntents.confirm((await newest()).intent.id, { payment_method: 'pm_card_visa' });
    expect((await bench.stripe.subscriptions.retrieve(id)).status).toBe('active');
    expect((await newest()).invoice.status).toBe('paid');
  });

  it.each(['4000000000003220', '4000002760003184'])(
    'with the card %s is past due at its renewal, until its customer confirms',
    async (card) => {
      const bench = await startBench();
      const { subscription, customer } = await buyPlan(bench, { card });
      expect(subscription.status).toBe('active');
      const end = subscription.items.data[0]?.current_period_end ?? 0;
      await bench.control('clock/advance', { to: end + 3601 });
      expect((await bench.stripe.subscriptions.retrieve(subscription.id)).status).toBe('past_due');
      const types = await bench.eventTypes();
      expect(types.slice(-5)).toEqual([
        'payment_intent.requires_action',
        'invoice.payment_action_required',
        'customer.updated',
        'invoice.payment_failed',
        'customer.subscription.updated',
      ]);
      const [invoice] = (await bench.stripe.invoices.list({ customer })).data;
      expect(invoice).toMatchObject({ status: 'open', attempt_count: 1 });
      expect(invoice?.next_payment_attempt).toBe(end + 3600 + 3 * DAY);
      const asks = await refusalOf(bench.stripe.invoices.pay(invoice?.id ?? ''));
      expect(asks).toMatchObject({ statusCode: 402, code: 'invoice_payment_intent_requires_action' });
      const [intent] = (await bench.stripe.paymentIntents.list({ customer })).data;
      await bench.control(`payment_intents/${intent?.id}/authenticate`, {});
      expect((await bench.stripe.subscriptions.retrieve(subscription.id)).status).toBe('active');
    },
  );

  it('is paid on its invoice’s own page, by way of the bank’s', async () => {
    const bench = await startBench();
    const { subscription, customer } = await buyPlan(bench, { card: '4000002760003184' });
    await bench.control('clock/advance', { days: 32 });
    expect(await bench.stripe.customers.retrieve(customer)).toMatchObject({ delinquent: true });
    const [invoice] = (await bench.stripe.invoices.list({ customer })).data;
    const at = invoice?.hosted_invoice_url ?? '';
    expect(await (await fetch(at)).text()).toContain('Pay €19.00 with the card ending in 3184');
    const post = (to: string, form: Record<string, string>) =>
      fetch(to, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });
    const bank = (await post(at, { action: 'pay' })).headers.get('location') ?? '';
    const back = (await post(bank, { result: 'ok' })).headers.get('location') ?? '';
    expect(back).toContain(at);
    expect(await (await fetch(back)).text()).toContain('This invoice is paid.');
    expect((await bench.stripe.subscriptions.retrieve(subscription.id)).status).toBe('active');
    expect(await bench.stripe.customers.retrieve(customer)).toMatchObject({ delinquent: false });
  });

  it('with a card that was set up renews by itself', async () => {
    const bench = await startBench();
    const { subscription } = await buyPlan(bench, { card: '4000002500003155' });
    await bench.control('clock/advance', { days: 62 });
    expect((await bench.stripe.subscriptions.retrieve(subscription.id)).status).toBe('active');
  });

  it('is past due after a switch that is billed at once, until its customer confirms', async () => {
    const { bench, subscribe, newest } = await customerWith('pm_card_threeDSecure2Required');
    const { id, items } = await subscribe();
    await bench.control(`payment_intents/${(await newest()).intent.id}/authenticate`, {});
    const switched = await bench.stripe.subscriptions.update(id, {
      items: [{ id: items.data[0]?.id ?? '', price: (await bench.price('club_yearly')).id }],
    });
    expect(switched.status).toBe('past_due');
    const { invoice, intent } = await newest();
    expect(invoice).toMatchObject({ billing_reason: 'subscription_update', attempt_count: 0 });
    await bench.control(`payment_intents/${intent.id}/authenticate`, {});
    expect((await bench.stripe.subscriptions.retrieve(id)).status).toBe('active');
  });
});
