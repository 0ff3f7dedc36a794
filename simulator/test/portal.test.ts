import { describe, expect, it } from 'vitest';
import { buyPlan, refusalOf, startBench } from './harness.ts';

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
    expect(page).toContain('Premium with credits');
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

  it('is refused for a customer that does not exist', async () => {
    const { bench } = await openPortal();
    const refusal = await refusalOf(bench.stripe.billingPortal.sessions.create({ customer: 'cus_none' }));
    expect(refusal).toMatchObject({ statusCode: 400, param: 'customer' });
  });
});
