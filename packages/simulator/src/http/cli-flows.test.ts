import { describe, expect, it } from 'vitest';
import { type Bench, startBench, startReceiver } from '../../test/harness.ts';

/** What Stripe's own CLI does beyond what this project needs, so that its triggers work here. */

async function paySession(bench: Bench, method: string): Promise<string> {
  const { stripe, simulator } = bench;
  const { id: price } = await bench.price('coins_small');
  const session = await stripe.checkout.sessions.create({
    mode: 'payment',
    line_items: [{ price, quantity: 2 }],
    success_url: 'https://example.com/done',
    metadata: { uid: 'u1' },
    payment_intent_data: { metadata: { uid: 'u1' }, setup_future_usage: 'off_session' },
  });
  const response = await fetch(`${simulator.url}/v1/payment_pages/${session.id}/confirm`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk_test_simulator0000000000' },
    body: new URLSearchParams({ payment_method: method, expected_amount: '1000' }),
  });
  expect(response.status).toBe(200);
  return session.id;
}

async function debitOf({ stripe }: Bench, iban: string): Promise<string> {
  const method = await stripe.paymentMethods.create({
    type: 'sepa_debit',
    sepa_debit: { iban },
    billing_details: { email: 'a@example.com', name: 'A' },
  });
  return method.id;
}

describe('a session completed through its page’s own calls', () => {
  it('is paid by a card', async () => {
    const bench = await startBench();
    const session = await bench.stripe.checkout.sessions.retrieve(await paySession(bench, 'pm_card_visa'));
    expect(session).toMatchObject({ status: 'complete', payment_status: 'paid', amount_total: 1000 });
  });

  it('is complete before a bank debit is paid, and paid when the bank says so', async () => {
    const bench = await startBench();
    const id = await paySession(bench, await debitOf(bench, 'AT611904300234573201'));
    const { data } = await bench.stripe.events.list({ type: 'checkout.session.completed' });
    expect(data[0]?.data.object).toMatchObject({ id, payment_status: 'unpaid' });
    const session = await bench.stripe.checkout.sessions.retrieve(id, {
      expand: ['payment_intent.latest_charge'],
    });
    expect(session.payment_status).toBe('paid');
    expect(session.payment_intent).toMatchObject({
      status: 'succeeded',
      latest_charge: { paid: true, metadata: { uid: 'u1' } },
    });
    expect(await bench.eventTypes()).toContain('checkout.session.async_payment_succeeded');
  });

  it('stays unpaid when the bank refuses the debit', async () => {
    const bench = await startBench();
    const id = await paySession(bench, await debitOf(bench, 'AT861904300235473202'));
    const session = await bench.stripe.checkout.sessions.retrieve(id);
    expect(session).toMatchObject({ status: 'complete', payment_status: 'unpaid' });
    expect(await bench.eventTypes()).toContain('checkout.session.async_payment_failed');
  });
});

it('makes an invoice by hand of the items that wait, once', async () => {
  const { stripe } = await startBench();
  const { id: customer } = await stripe.customers.create();
  await stripe.paymentMethods.attach('pm_card_visa', { customer });
  const item = await stripe.invoiceItems.create({ customer, amount: 2000, currency: 'usd' });
  const invoice = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' });
  expect(invoice).toMatchObject({
    status: 'draft',
    amount_due: 2000,
    billing_reason: 'manual',
    parent: null,
  });
  expect((await stripe.invoiceItems.retrieve(item.id)).invoice).toBe(invoice.id);
  const paid = await stripe.invoices.pay(invoice.id, { payment_method: 'pm_card_visa' });
  expect(paid).toMatchObject({ status: 'paid', amount_paid: 2000 });
  const next = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' });
  expect(next.amount_due).toBe(0);
});

it('takes no money for an inquiry, and closes it as one', async () => {
  const bench = await startBench();
  const intent = await bench.stripe.paymentIntents.create({
    amount: 100,
    currency: 'usd',
    payment_method: 'pm_card_createDisputeInquiry',
    automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
    confirm: true,
  });
  const { data } = await bench.stripe.disputes.list({ payment_intent: intent.id });
  expect(data[0]?.status).toBe('warning_needs_response');
  const closed = await bench.stripe.disputes.close(data[0]?.id ?? '');
  expect(closed.status).toBe('warning_closed');
  expect(await bench.eventTypes()).not.toContain('charge.dispute.funds_withdrawn');
});

it('sends an event once more, to one endpoint alone where it is named', async () => {
  const bench = await startBench();
  const receivers = await Promise.all([startReceiver(), startReceiver()]);
  const endpoints = await Promise.all(
    receivers.map(({ url }) =>
      bench.stripe.webhookEndpoints.create({ url, enabled_events: ['customer.created'] }),
    ),
  );
  await bench.stripe.customers.create({});
  await bench.control('flush', {});
  const [event] = (await bench.stripe.events.list({ type: 'customer.created' })).data;
  const again = await fetch(`${bench.simulator.url}/v1/events/${event?.id}/retry`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk_test_simulator0000000000' },
    body: new URLSearchParams({ for_stripecli: 'true', webhook_endpoint: endpoints[0]?.id ?? '' }),
  });
  expect(await again.json()).toMatchObject({ id: event?.id });
  await bench.control('flush', {});
  expect(receivers.map(({ received }) => received.map(({ id }) => id))).toEqual([
    [event?.id, event?.id],
    [event?.id],
  ]);
});
