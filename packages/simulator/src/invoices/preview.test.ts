import type Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { buyPlan, refusalOf, startBench } from '../../test/harness.ts';

async function subscribed(given: Parameters<typeof buyPlan>[1] = {}) {
  const bench = await startBench();
  const bought = await buyPlan(bench, { lookupKey: 'club_monthly', ...given });
  const item = bought.subscription.items.data[0];
  if (item === undefined) throw new Error('No item');
  const itemsFor = async (lookupKey: string) => [{ id: item.id, price: (await bench.price(lookupKey)).id }];
  return { bench, ...bought, item, itemsFor };
}

/** What a line bills, without what only a real invoice gives it. */
const billed = ({ amount, description, period, quantity, pricing, parent }: Stripe.InvoiceLineItem) => ({
  amount,
  description,
  period,
  quantity,
  price: pricing?.price_details?.price,
  proration: parent?.subscription_item_details?.proration,
});

describe('a preview of a change', () => {
  it.each([
    ['club_plus_monthly', 'always_invoice'],
    ['club_yearly', 'create_prorations'],
    ['club_yearly', 'none'],
  ] as const)(
    'to %s with %s has the very lines of the bill that follows',
    async (key, proration_behavior) => {
      const { bench, subscription, item, itemsFor } = await subscribed();
      const proration_date = item.current_period_start + 864_000;
      await bench.control('clock/advance', { to: proration_date });
      const items = await itemsFor(key);
      const change = { items, proration_behavior, proration_date };
      const preview = await bench.stripe.invoices.createPreview({
        subscription: subscription.id,
        subscription_details: change,
      });
      expect(preview).toMatchObject({ object: 'invoice', status: 'draft', billing_reason: 'upcoming' });
      await bench.stripe.subscriptions.update(subscription.id, change);
      const [invoice] = (await bench.stripe.invoices.list({ subscription: subscription.id })).data;
      const slack = Math.abs((invoice?.created ?? 0) - preview.created);
      const shifted = invoice?.lines.data.map((line) => ({
        ...billed(line),
        period: line.parent?.subscription_item_details?.proration
          ? line.period
          : { start: line.period.start - slack, end: line.period.end - slack },
      }));
      expect(shifted).toEqual(preview.lines.data.map(billed));
      expect(invoice?.total).toBe(preview.total);
    },
  );

  it('that is not billed now shows the next renewal with its prorations', async () => {
    const { bench, subscription, item, itemsFor } = await subscribed();
    await bench.control('clock/advance', { days: 10 });
    const preview = await bench.stripe.invoices.createPreview({
      subscription: subscription.id,
      subscription_details: { items: await itemsFor('club_plus_monthly') },
    });
    expect(preview.lines.data.map((line) => billed(line).proration)).toEqual([true, true, false]);
    expect(preview.lines.data[2]).toMatchObject({
      amount: 1900,
      period: { start: item.current_period_end },
    });
    expect(preview.created).toBe(item.current_period_end);
  });

  it('changes nothing', async () => {
    const { bench, subscription, itemsFor } = await subscribed();
    const before = await bench.control('state');
    await bench.stripe.invoices.createPreview({
      subscription: subscription.id,
      subscription_details: { items: await itemsFor('club_yearly') },
    });
    expect(await bench.control('state')).toEqual(before);
  });

  it('shows what a cancellation at once gives back', async () => {
    const { bench, subscription } = await subscribed();
    const preview = await bench.stripe.invoices.createPreview({
      subscription: subscription.id,
      subscription_details: { cancel_now: true },
    });
    expect(preview.total).toBeLessThan(-890);
    expect(preview.amount_due).toBe(0);
  });
});

describe('a preview of what comes next', () => {
  it.each(['by its subscription', 'by its customer'])('is the renewal, found %s', async (how) => {
    const { bench, subscription, customer } = await subscribed();
    const preview = await bench.stripe.invoices.createPreview(
      how === 'by its customer' ? { customer } : { subscription: subscription.id },
    );
    expect(preview).toMatchObject({ total: 900, customer });
  });

  it('counts what is in the customer’s hand', async () => {
    const { bench, customer } = await subscribed();
    await bench.stripe.customers.createBalanceTransaction(customer, { amount: -300, currency: 'usd' });
    expect(await bench.stripe.invoices.createPreview({ customer })).toMatchObject({
      total: 900,
      starting_balance: -300,
      amount_due: 600,
    });
  });

  it('of a subscription that does not exist yet is its first invoice', async () => {
    const { bench, customer } = await subscribed();
    const price = (await bench.price('club_yearly')).id;
    const preview = await bench.stripe.invoices.createPreview({
      customer,
      subscription_details: { items: [{ price }] },
    });
    expect(preview).toMatchObject({ total: 9000 });
  });

  it('is refused where nothing comes any more', async () => {
    const { bench, subscription, customer } = await subscribed();
    await bench.stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true });
    const none = { statusCode: 404, code: 'invoice_upcoming_none' };
    const { createPreview } = bench.stripe.invoices;
    const preview = createPreview.bind(bench.stripe.invoices);
    expect(await refusalOf(preview({ subscription: subscription.id }))).toMatchObject(none);
    await bench.stripe.subscriptions.cancel(subscription.id);
    expect(await refusalOf(preview({ subscription: subscription.id }))).toMatchObject(none);
    expect(await refusalOf(preview({ customer }))).toMatchObject(none);
  });

  it('is refused with what the simulator does not preview', async () => {
    const { bench, customer } = await subscribed();
    const refusal = await refusalOf(
      bench.stripe.invoices.createPreview({ customer, invoice_items: [{ amount: 100, currency: 'usd' }] }),
    );
    expect(refusal).toMatchObject({ statusCode: 400, param: 'invoice_items' });
  });
});
