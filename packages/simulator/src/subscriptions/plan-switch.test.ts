import type Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { type Bench, buyPlan, DAY, refusalOf, startBench } from '../../test/harness.ts';

const REFUSED_LATER = '4000000000000341';

/** A subscription, and how to change its one item. */
async function subscribed(given: Parameters<typeof buyPlan>[1] = {}) {
  const bench = await startBench();
  const { subscription, customer } = await buyPlan(bench, { lookupKey: 'club_monthly', ...given });
  const item = subscription.items.data[0];
  if (item === undefined) throw new Error('No item');
  const switchTo = async (lookupKey: string, params: Stripe.SubscriptionUpdateParams = {}) =>
    bench.stripe.subscriptions.update(subscription.id, {
      items: [{ id: item.id, price: (await bench.price(lookupKey)).id }],
      ...params,
    });
  const half = Math.round((item.current_period_end - item.current_period_start) / 2);
  return { bench, subscription, customer, item, switchTo, half };
}

async function newestInvoice({ stripe }: Bench, subscription: string): Promise<Stripe.Invoice> {
  const [invoice] = (await stripe.invoices.list({ subscription })).data;
  if (invoice === undefined) throw new Error('No invoice');
  return invoice;
}

const amounts = (invoice: Stripe.Invoice): number[] => invoice.lines.data.map((line) => line.amount);
const isProration = (line: Stripe.InvoiceLineItem): boolean | undefined =>
  line.parent?.subscription_item_details?.proration;

describe('a switch within the same interval', () => {
  it('bills credit and debit with the next renewal, before the renewal’s own line', async () => {
    const { bench, subscription, switchTo, half, item } = await subscribed();
    await bench.control('clock/advance', { seconds: half });
    const switched = await switchTo('club_plus_monthly');
    expect(switched.items.data[0]).toMatchObject({
      id: item.id,
      current_period_end: item.current_period_end,
    });
    expect(switched.latest_invoice).toBe(subscription.latest_invoice);
    await bench.control('clock/advance', { to: item.current_period_end + 3601 });
    const invoice = await newestInvoice(bench, subscription.id);
    expect(invoice).toMatchObject({ billing_reason: 'subscription_cycle', status: 'paid' });
    const [credit, debit, renewal] = amounts(invoice);
    expect(Math.abs((credit ?? 0) + 450)).toBeLessThanOrEqual(1);
    expect(Math.abs((debit ?? 0) - 950)).toBeLessThanOrEqual(1);
    expect(renewal).toBe(1900);
    expect(invoice.lines.data.map(isProration)).toEqual([true, true, false]);
    expect(invoice.lines.data[0]?.description).toMatch(/^Unused time on Club after \d\d \w{3} \d{4}$/);
    expect(invoice.lines.data[1]?.description).toMatch(/^Remaining time on Club Plus after /);
  });

  it('keeps the prorations as pending items until then, and links the credit to what it gives back', async () => {
    const { bench, subscription, customer, switchTo } = await subscribed();
    const first = await newestInvoice(bench, subscription.id);
    await bench.control('clock/advance', { days: 10 });
    await switchTo('club_plus_monthly');
    await bench.control('clock/advance', { days: 5 });
    await switchTo('club_monthly');
    const { data } = await bench.stripe.invoiceItems.list({ customer, pending: true });
    const [, secondCredit, debit, firstCredit] = data;
    expect(data.map((row) => row.proration)).toEqual([true, true, true, true]);
    expect(firstCredit?.proration_details?.credited_items).toEqual({
      type: 'invoice_line_items',
      invoice_line_item_details: { invoice: first.id, invoice_line_items: [first.lines.data[0]?.id] },
    });
    expect(secondCredit?.proration_details?.credited_items).toEqual({
      type: 'invoice_item',
      invoice_item: debit?.id,
    });
  });

  it('gives back exactly what it billed when it is switched there and back in the same second', async () => {
    const { bench, subscription, item } = await subscribed();
    const at = item.current_period_start + 10 * DAY;
    await bench.control('clock/advance', { to: at });
    for (const key of ['club_plus_monthly', 'club_monthly'])
      await bench.stripe.subscriptions.update(subscription.id, {
        items: [{ id: item.id, price: (await bench.price(key)).id }],
        proration_date: at,
      });
    await bench.control('clock/advance', { to: item.current_period_end + 3601 });
    expect((await newestInvoice(bench, subscription.id)).total).toBe(900);
  });

  it.each([
    ['always_invoice', 'a bill at once'],
    ['none', 'nothing but the new price'],
  ] as const)('with %s means %s', async (proration_behavior, _meaning) => {
    const { bench, subscription, switchTo, item, half } = await subscribed();
    await bench.control('clock/advance', { seconds: half });
    const before = await newestInvoice(bench, subscription.id);
    await switchTo('club_plus_monthly', { proration_behavior });
    const now = await newestInvoice(bench, subscription.id);
    if (proration_behavior === 'none') expect(now.id).toBe(before.id);
    else {
      expect(now).toMatchObject({ billing_reason: 'subscription_update', status: 'paid' });
      expect(Math.abs(now.amount_paid - 500)).toBeLessThanOrEqual(1);
    }
    await bench.control('clock/advance', { to: item.current_period_end + 3601 });
    const renewal = await newestInvoice(bench, subscription.id);
    expect(renewal).toMatchObject({ billing_reason: 'subscription_cycle', total: 1900 });
  });

  it('says so once, with what was there before', async () => {
    const { bench, switchTo } = await subscribed();
    await bench.control('clock/advance', { days: 1 });
    const before = (await bench.eventTypes()).length;
    await switchTo('club_plus_monthly', {
      proration_behavior: 'always_invoice',
      metadata: { switched: 'yes' },
      cancel_at_period_end: true,
    });
    expect((await bench.eventTypes()).slice(before)).toEqual([
      'invoiceitem.created',
      'invoiceitem.created',
      'customer.subscription.updated',
      'invoice.created',
      'payment_intent.created',
      'invoice.finalized',
      'charge.succeeded',
      'payment_intent.succeeded',
      'invoice_payment.paid',
      'invoice.paid',
      'invoice.payment_succeeded',
    ]);
    const [event] = (await bench.stripe.events.list({ type: 'customer.subscription.updated' })).data;
    const previous = event?.data.previous_attributes as Partial<Stripe.Subscription>;
    expect(Object.keys(previous).sort()).toEqual([
      'cancel_at',
      'cancel_at_period_end',
      'canceled_at',
      'cancellation_details',
      'items',
      'latest_invoice',
      'metadata',
    ]);
    expect(previous.items?.data[0]?.price.lookup_key).toBe('club_monthly');
  });

  it('at another quantity prorates as well', async () => {
    const { bench, subscription, item, half } = await subscribed();
    await bench.control('clock/advance', { seconds: half });
    await bench.stripe.subscriptionItems.update(item.id, {
      quantity: 3,
      proration_behavior: 'always_invoice',
    });
    const invoice = await newestInvoice(bench, subscription.id);
    expect(Math.abs(invoice.total - 900)).toBeLessThanOrEqual(1);
    expect(invoice.lines.data[1]?.description).toContain('3 × Club');
  });
});

describe('a switch to another interval', () => {
  it('begins a period today and bills it at once, less the unused time', async () => {
    const { bench, subscription, switchTo, half } = await subscribed();
    await bench.control('clock/advance', { seconds: half });
    const switched = await switchTo('club_yearly');
    const item = switched.items.data[0];
    expect(switched.billing_cycle_anchor).toBe(item?.current_period_start);
    expect(switched.billing_cycle_anchor).toBeGreaterThanOrEqual(subscription.billing_cycle_anchor + half);
    expect(((item?.current_period_end ?? 0) - (item?.current_period_start ?? 0)) / DAY).toBeGreaterThan(364);
    const invoice = await newestInvoice(bench, subscription.id);
    expect(invoice).toMatchObject({ billing_reason: 'subscription_update', status: 'paid' });
    expect(Math.abs((amounts(invoice)[0] ?? 0) + 450)).toBeLessThanOrEqual(1);
    expect(amounts(invoice)[1]).toBe(9000);
    expect(invoice.amount_paid).toBe(invoice.total);
    await bench.control('clock/advance', { days: 60 });
    expect((await newestInvoice(bench, subscription.id)).id).toBe(invoice.id);
  });

  it('without prorations bills the whole new period', async () => {
    const { bench, subscription, switchTo } = await subscribed();
    await bench.control('clock/advance', { days: 10 });
    await switchTo('club_yearly', { proration_behavior: 'none' });
    expect(amounts(await newestInvoice(bench, subscription.id))).toEqual([9000]);
  });

  it('down leaves a credit balance that pays the renewals until it is used up', async () => {
    const { bench, subscription, customer, switchTo } = await subscribed({ lookupKey: 'club_yearly' });
    await bench.control('clock/advance', { days: 335 });
    await switchTo('club_monthly');
    const bill = await newestInvoice(bench, subscription.id);
    expect(bill).toMatchObject({ status: 'paid', amount_due: 900 + (amounts(bill)[0] ?? 0) });
    await switchTo('club_yearly');
    await switchTo('club_monthly');
    const credit = await newestInvoice(bench, subscription.id);
    expect(credit.total).toBeLessThan(-8000);
    expect(credit).toMatchObject({ status: 'paid', amount_due: 0, ending_balance: credit.total });
    const owner = await bench.stripe.customers.retrieve(customer);
    expect(owner).toMatchObject({ balance: credit.total });
    await bench.control('clock/advance', { days: 32 });
    const renewal = await newestInvoice(bench, subscription.id);
    expect(renewal).toMatchObject({
      total: 900,
      starting_balance: credit.total,
      amount_due: 0,
      ending_balance: credit.total + 900,
      status: 'paid',
    });
    const { data } = await bench.stripe.customers.listBalanceTransactions(customer);
    expect(data.map((row) => [row.type, row.amount])).toEqual([
      ['applied_to_invoice', 900],
      ['applied_to_invoice', credit.total],
    ]);
  });

  it('that the card refuses makes the subscription past due', async () => {
    const { bench, customer, subscription, switchTo } = await subscribed();
    await bench.control(`customers/${customer}/card`, { card: REFUSED_LATER });
    const switched = await switchTo('club_yearly');
    expect(switched.status).toBe('past_due');
    expect(await newestInvoice(bench, subscription.id)).toMatchObject({ status: 'open', attempt_count: 1 });
    await bench.control(`customers/${customer}/card`, { card: '4242424242424242' });
    await bench.control('clock/advance', { days: 4 });
    expect((await bench.stripe.subscriptions.retrieve(subscription.id)).status).toBe('active');
  });

  it('with error_if_incomplete changes nothing when the card refuses', async () => {
    const { bench, customer, subscription, switchTo } = await subscribed();
    await bench.control(`customers/${customer}/card`, { card: REFUSED_LATER });
    const refusal = await refusalOf(switchTo('club_yearly', { payment_behavior: 'error_if_incomplete' }));
    expect(refusal).toMatchObject({ statusCode: 402, type: 'StripeCardError' });
    const same = await bench.stripe.subscriptions.retrieve(subscription.id);
    expect(same.items.data[0]?.price.lookup_key).toBe('club_monthly');
    expect((await bench.stripe.invoices.list({ subscription: subscription.id })).data).toHaveLength(1);
  });

  it('cannot leave the anchor where it is', async () => {
    const { switchTo } = await subscribed();
    const refusal = await refusalOf(switchTo('club_yearly', { billing_cycle_anchor: { type: 'unchanged' } }));
    expect(refusal).toMatchObject({ statusCode: 400, param: 'billing_cycle_anchor' });
  });
});

/** A plan of $25 a month and one of $250 a year, as in the recording of a switch between them. */
async function recordedPlans(given: { days: number }) {
  const bench = await startBench();
  const { stripe } = bench;
  const sell = (unit_amount: number, interval: 'month' | 'year') =>
    stripe.prices.create({
      currency: 'usd',
      unit_amount,
      recurring: { interval },
      product: 'prod_club_monthly',
    });
  const [month, year] = [await sell(2500, 'month'), await sell(25_000, 'year')];
  const customer = await stripe.customers.create({
    payment_method: 'pm_card_visa',
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  });
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: month.id }],
  });
  const [item] = subscription.items.data;
  if (item === undefined) throw new Error('No item');
  await bench.control('clock/advance', { seconds: given.days * DAY + 4 });
  const items = [{ id: item.id, price: year.id }];
  return { bench, subscription, item, items };
}

describe('trial_end=now for a subscription that has no trial', () => {
  it('changes nothing by itself, as recorded', async () => {
    const { bench, subscription, item } = await recordedPlans({ days: 10 });
    const same = await bench.stripe.subscriptions.update(subscription.id, { trial_end: 'now' });
    expect(same).toMatchObject({
      status: 'active',
      trial_end: null,
      trial_start: null,
      billing_cycle_anchor: subscription.billing_cycle_anchor,
      latest_invoice: subscription.latest_invoice,
    });
    expect(same.items.data[0]?.current_period_end).toBe(item.current_period_end);
  });

  it.each(['always_invoice', 'create_prorations'] as const)(
    'with a switch to a year bills −2500 + 25000 and keeps the anchor, as recorded (%s)',
    async (proration_behavior) => {
      const { bench, subscription, items } = await recordedPlans({ days: 0 });
      const change = { items, proration_behavior, trial_end: 'now' as const };
      const preview = await bench.stripe.invoices.createPreview({
        subscription: subscription.id,
        subscription_details: change,
      });
      const switched = await bench.stripe.subscriptions.update(subscription.id, change);
      const [period] = switched.items.data;
      expect(switched.billing_cycle_anchor).toBe(subscription.billing_cycle_anchor);
      expect(period?.current_period_start).toBe(subscription.billing_cycle_anchor);
      expect(((period?.current_period_end ?? 0) - (period?.current_period_start ?? 0)) / DAY).toBe(365);
      const invoice = await newestInvoice(bench, subscription.id);
      expect(invoice).toMatchObject({ billing_reason: 'subscription_update', status: 'paid', total: 22_500 });
      expect(amounts(invoice)).toEqual([-2500, 25_000]);
      expect(invoice.lines.data[1]?.description).toMatch(/^Remaining time on /);
      expect(invoice.lines.data[1]?.period.end).toBe(period?.current_period_end);
      expect(amounts(preview)).toEqual(amounts(invoice));
    },
  );

  it('ten days later bills what is left of that year, and nothing more until it is over', async () => {
    const { bench, subscription, items } = await recordedPlans({ days: 10 });
    const switched = await bench.stripe.subscriptions.update(subscription.id, {
      items,
      proration_behavior: 'always_invoice',
      trial_end: 'now',
    });
    const invoice = await newestInvoice(bench, subscription.id);
    const end = switched.items.data[0]?.current_period_end ?? 0;
    const left = (end - invoice.created) / (365 * DAY);
    expect(Math.abs((amounts(invoice)[1] ?? 0) - left * 25_000)).toBeLessThanOrEqual(1);
    await bench.control('clock/advance', { days: 62 });
    expect((await newestInvoice(bench, subscription.id)).id).toBe(invoice.id);
  });

  it.each([
    ['billing_cycle_anchor now', { billing_cycle_anchor: { type: 'now' as const } }],
    ['no prorations', { proration_behavior: 'none' as const }],
  ])('and %s begins the year today and bills the whole of it', async (what, params) => {
    const { bench, subscription, items } = await recordedPlans({ days: 10 });
    const change = {
      items,
      trial_end: 'now' as const,
      proration_behavior: 'always_invoice' as const,
      ...params,
    };
    const switched = await bench.stripe.subscriptions.update(subscription.id, change);
    const [period] = switched.items.data;
    expect(period?.current_period_start).toBe(switched.billing_cycle_anchor);
    expect(switched.billing_cycle_anchor).toBeGreaterThanOrEqual(
      subscription.billing_cycle_anchor + 10 * DAY,
    );
    const invoice = await newestInvoice(bench, subscription.id);
    expect(amounts(invoice).at(-1)).toBe(25_000);
    expect(amounts(invoice)).toHaveLength(what === 'no prorations' ? 1 : 2);
    expect(invoice.status).toBe('paid');
  });

  it('within the interval prorates as it would without', async () => {
    const { bench, subscription, switchTo, half } = await subscribed();
    await bench.control('clock/advance', { seconds: half });
    await switchTo('club_plus_monthly', { trial_end: 'now', proration_behavior: 'always_invoice' });
    const invoice = await newestInvoice(bench, subscription.id);
    expect(Math.abs(invoice.total - 500)).toBeLessThanOrEqual(1);
  });
});

describe('a switch in a trial', () => {
  it('changes the plan and leaves the trial, without a bill', async () => {
    const { bench, subscription, switchTo } = await subscribed({ trialDays: 7 });
    const switched = await switchTo('club_yearly');
    expect(switched).toMatchObject({ status: 'trialing', trial_end: subscription.trial_end });
    expect((await bench.stripe.invoices.list({ subscription: subscription.id })).data).toHaveLength(1);
    await bench.control('clock/advance', { to: (subscription.trial_end ?? 0) + 3601 });
    expect(await newestInvoice(bench, subscription.id)).toMatchObject({ total: 9000, status: 'paid' });
  });

  it('that ends it bills the new plan at once', async () => {
    const { bench, subscription, switchTo } = await subscribed({ trialDays: 7 });
    const switched = await switchTo('club_plus_monthly', { trial_end: 'now' });
    expect(switched.status).toBe('active');
    const invoice = await newestInvoice(bench, subscription.id);
    expect(invoice).toMatchObject({ billing_reason: 'subscription_update', status: 'paid', total: 1900 });
  });

  it('can be longer: the first bill waits with it', async () => {
    const { bench, subscription } = await subscribed({ trialDays: 7 });
    const end = (subscription.trial_end ?? 0) + 7 * DAY;
    await bench.stripe.subscriptions.update(subscription.id, { trial_end: end });
    await bench.control('clock/advance', { to: end - 60 });
    expect((await bench.stripe.subscriptions.retrieve(subscription.id)).status).toBe('trialing');
    await bench.control('clock/advance', { to: end + 3601 });
    const [row] = (await newestInvoice(bench, subscription.id)).lines.data;
    expect(row?.period.start).toBe(end);
  });
});

describe('a subscription’s billing cycle', () => {
  it('begins anew when that is asked for, with a credit for the time before', async () => {
    const { bench, subscription, half } = await subscribed();
    await bench.control('clock/advance', { seconds: half });
    const moved = await bench.stripe.subscriptions.update(subscription.id, {
      billing_cycle_anchor: { type: 'now' },
    });
    expect(moved.billing_cycle_anchor).toBeGreaterThanOrEqual(subscription.billing_cycle_anchor + half);
    const invoice = await newestInvoice(bench, subscription.id);
    expect(Math.abs(invoice.total - 450)).toBeLessThanOrEqual(1);
  });
});

describe('a cancellation at once', () => {
  it('gives the unused time back to the balance where both are asked for', async () => {
    const { bench, subscription, customer, half } = await subscribed();
    await bench.control('clock/advance', { seconds: half });
    await bench.stripe.subscriptions.cancel(subscription.id, { prorate: true, invoice_now: true });
    const { balance } = (await bench.stripe.customers.retrieve(customer)) as Stripe.Customer;
    expect(Math.abs(balance + 450)).toBeLessThanOrEqual(1);
  });
});

describe('what a switch refuses', () => {
  it.each([
    ['a price that is paid once', 'club_forever'],
    ['a price that is no longer sold', 'old'],
  ])('is %s', async (_what, lookupKey) => {
    const { bench, switchTo } = await subscribed();
    const old = await bench.stripe.prices.create({
      currency: 'usd',
      unit_amount: 100,
      recurring: { interval: 'month' },
      product: 'prod_club_monthly',
      active: false,
    });
    const asked =
      lookupKey === 'old'
        ? bench.stripe.subscriptions.update((await bench.stripe.subscriptions.list()).data[0]?.id ?? '', {
            items: [
              {
                id: (await bench.stripe.subscriptions.list()).data[0]?.items.data[0]?.id ?? '',
                price: old.id,
              },
            ],
          })
        : switchTo(lookupKey);
    expect(await refusalOf(asked)).toMatchObject({ statusCode: 400, param: 'items[0][price]' });
  });

  it('is a date outside of the current period', async () => {
    const { switchTo, item } = await subscribed();
    const proration_date = item.current_period_start - DAY;
    expect(await refusalOf(switchTo('club_plus_monthly', { proration_date }))).toMatchObject({
      param: 'proration_date',
    });
  });

  it('is a second item, which the simulator does not have', async () => {
    const { bench, subscription } = await subscribed();
    const price = await bench.price('club_plus_monthly');
    const asked = bench.stripe.subscriptions.update(subscription.id, { items: [{ price: price.id }] });
    expect((await refusalOf(asked)).message).toContain('name it by `items[0][id]`');
  });
});
