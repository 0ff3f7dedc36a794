import type Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { buyPlan, refusalOf, startBench } from '../../test/harness.ts';

async function openPortal(configuration?: string) {
  const bench = await startBench();
  const bought = await buyPlan(bench);
  const session = await bench.stripe.billingPortal.sessions.create({
    customer: bought.customer,
    return_url: 'https://example.com/account',
    ...(configuration === undefined ? {} : { configuration }),
  });
  const post = async (fields: Record<string, string>) => {
    const response = await fetch(session.url, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ subscription: bought.subscription.id, ...fields }),
    });
    return {
      status: response.status,
      location: response.headers.get('location'),
      page: await response.text(),
    };
  };
  return { bench, ...bought, session, post };
}

describe('the portal', () => {
  it('shows the plan and the way back', async () => {
    const { session } = await openPortal();
    const page = await (await fetch(session.url)).text();
    expect(page).toContain('Club Plus');
    expect(page).toContain('https://example.com/account');
  });

  it('cancels at the period’s end by cancel_at alone, as flexible billing does', async () => {
    const { bench, post, subscription } = await openPortal();
    expect((await post({ action: 'cancel' })).status).toBe(303);
    const end = subscription.items.data[0]?.current_period_end;
    const pending = await bench.stripe.subscriptions.retrieve(subscription.id);
    expect(pending).toMatchObject({ status: 'active', cancel_at: end, cancel_at_period_end: false });
    await bench.control('clock/advance', { to: end });
    expect((await bench.stripe.subscriptions.retrieve(subscription.id)).status).toBe('canceled');
  });

  it('takes a cancellation back', async () => {
    const { bench, post, subscription } = await openPortal();
    await post({ action: 'cancel' });
    await post({ action: 'uncancel' });
    expect(await bench.stripe.subscriptions.retrieve(subscription.id)).toMatchObject({
      cancel_at: null,
      canceled_at: null,
    });
  });

  it('changes the card that the next renewal is charged to', async () => {
    const { bench, post, subscription } = await openPortal();
    const refused = await post({
      action: 'update_card',
      number: '4000000000000002',
      exp: '12/34',
      cvc: '123',
    });
    expect(refused.status).toBe(402);
    expect(refused.page).toContain('Your card was declined.');
    await post({ action: 'update_card', number: '5555 5555 5555 4444', exp: '12/34', cvc: '123' });
    await bench.control('clock/advance', { days: 32 });
    const [charge] = (await bench.stripe.charges.list()).data;
    expect(charge?.payment_method_details?.card?.last4).toBe('4444');
    expect((await bench.stripe.subscriptions.retrieve(subscription.id)).status).toBe('active');
  });

  it('touches no other customer’s subscription', async () => {
    const { bench, post } = await openPortal();
    const other = await buyPlan(bench);
    const refused = await post({ action: 'cancel', subscription: other.subscription.id });
    expect(refused.status).toBe(402);
    expect((await bench.stripe.subscriptions.retrieve(other.subscription.id)).cancel_at).toBeNull();
  });

  it('follows its configuration', async () => {
    const { bench, customer, subscription } = await openPortal();
    const configuration = await bench.stripe.billingPortal.configurations.create({
      features: { subscription_cancel: { enabled: true, mode: 'immediately' } },
      metadata: { made_by: 'test' },
    });
    expect(configuration.features.subscription_update.enabled).toBe(false);
    const session = await bench.stripe.billingPortal.sessions.create({
      customer,
      configuration: configuration.id,
    });
    const body = new URLSearchParams({ action: 'cancel', subscription: subscription.id });
    await fetch(session.url, { method: 'POST', redirect: 'manual', body });
    expect((await bench.stripe.subscriptions.retrieve(subscription.id)).status).toBe('canceled');
  });

  it('shows what its configuration allows, and nothing else', async () => {
    const { bench, customer, subscription } = await openPortal();
    const configuration = await bench.stripe.billingPortal.configurations.create({
      features: { invoice_history: { enabled: false } },
    });
    const session = await bench.stripe.billingPortal.sessions.create({
      customer,
      configuration: configuration.id,
    });
    const page = await (await fetch(session.url)).text();
    for (const feature of ['value="cancel"', 'value="update_card"', 'value="switch"', 'Invoice history'])
      expect(page).not.toContain(feature);
    for (const action of ['cancel', 'switch', 'update_card']) {
      const body = new URLSearchParams({ action, subscription: subscription.id, number: '4242424242424242' });
      expect((await fetch(session.url, { method: 'POST', body })).status).toBe(402);
    }
  });

  it('has its own page for a session that does not exist', async () => {
    const { bench } = await openPortal();
    const answer = await fetch(`${bench.simulator.url}/p/session/bps_none`);
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain('Open the simulator’s page');
  });

  it('changes a configuration in part, and lists the active ones', async () => {
    const { bench } = await openPortal();
    const made = await bench.stripe.billingPortal.configurations.create({
      features: { subscription_cancel: { enabled: true }, invoice_history: { enabled: true } },
    });
    const changed = await bench.stripe.billingPortal.configurations.update(made.id, {
      features: { invoice_history: { enabled: false } },
    });
    expect(changed.features.subscription_cancel.enabled).toBe(true);
    expect(changed.features.invoice_history.enabled).toBe(false);
    const { data } = await bench.stripe.billingPortal.configurations.list({
      active: true,
      is_default: false,
    });
    expect(data.map((row) => row.id)).toEqual([made.id]);
  });

  it('is refused without a configuration if the account never saved its own', async () => {
    const { stripe } = await startBench({ hasPortal: false });
    const { id: customer } = await stripe.customers.create();
    const refusal = await refusalOf(stripe.billingPortal.sessions.create({ customer }));
    expect(refusal.message).toContain('default configuration has not been created');
    const { id: configuration } = await stripe.billingPortal.configurations.create({
      features: { invoice_history: { enabled: true } },
    });
    const session = await stripe.billingPortal.sessions.create({ customer, configuration });
    expect(session.url).toContain('/p/session/');
  });

  it('is refused for a customer that does not exist', async () => {
    const { bench } = await openPortal();
    const refusal = await refusalOf(bench.stripe.billingPortal.sessions.create({ customer: 'cus_none' }));
    expect(refusal).toMatchObject({ statusCode: 400, param: 'customer' });
  });
});

describe('a switch of plan in the portal', () => {
  const switching = async (
    given: Partial<Stripe.BillingPortal.ConfigurationCreateParams.Features.SubscriptionUpdate> = {},
    trialDays?: number,
  ) => {
    const bench = await startBench();
    const bought = await buyPlan(bench, {
      lookupKey: 'club_monthly',
      ...(trialDays !== undefined && { trialDays }),
    });
    const yearly = await bench.price('club_yearly');
    const { id: configuration } = await bench.stripe.billingPortal.configurations.create({
      features: {
        subscription_update: {
          enabled: true,
          default_allowed_updates: ['price'],
          products: [{ product: String(yearly.product), prices: [yearly.id] }],
          proration_behavior: 'always_invoice',
          ...given,
        },
      },
    });
    const session = await bench.stripe.billingPortal.sessions.create({
      customer: bought.customer,
      configuration,
    });
    const choose = (price: string) =>
      fetch(session.url, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ action: 'switch', subscription: bought.subscription.id, price }),
      });
    const now = () => bench.stripe.subscriptions.retrieve(bought.subscription.id);
    return { bench, ...bought, yearly, session, choose, now };
  };

  it('offers the plans of its configuration, and bills the one that is chosen', async () => {
    const { bench, session, yearly, choose, now, subscription } = await switching();
    expect(await (await fetch(session.url)).text()).toContain(`value="${yearly.id}"`);
    expect((await choose(yearly.id)).status).toBe(303);
    expect((await now()).items.data[0]?.price.id).toBe(yearly.id);
    const [invoice] = (await bench.stripe.invoices.list({ subscription: subscription.id })).data;
    expect(invoice).toMatchObject({ billing_reason: 'subscription_update', status: 'paid' });
  });

  it('is refused for a plan that its configuration does not offer', async () => {
    const { bench, choose, now } = await switching();
    expect((await choose((await bench.price('club_plus_monthly')).id)).status).toBe(402);
    expect((await now()).items.data[0]?.price.lookup_key).toBe('club_monthly');
  });

  it('changes nothing when the card refuses its bill', async () => {
    const { bench, customer, choose, yearly, now } = await switching();
    await bench.control(`customers/${customer}/card`, { card: '4000000000000341' });
    const refused = await choose(yearly.id);
    expect(refused.status).toBe(402);
    expect(await refused.text()).toContain('Your card was declined.');
    expect(await now()).toMatchObject({ status: 'active' });
    expect((await now()).items.data[0]?.price.lookup_key).toBe('club_monthly');
  });

  it.each([
    ['end_trial', 'active'],
    ['continue_trial', 'trialing'],
  ] as const)('with %s leaves a trial %s', async (trial_update_behavior, status) => {
    const { choose, yearly, now } = await switching({ trial_update_behavior }, 7);
    await choose(yearly.id);
    expect(await now()).toMatchObject({ status });
  });

  it('cannot be configured without products', async () => {
    const param = 'features[subscription_update][products]';
    expect(await refusalOf(switching({ products: '' as const }))).toMatchObject({ statusCode: 400, param });
  });
});
