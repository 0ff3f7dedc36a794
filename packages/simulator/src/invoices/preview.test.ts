import type Stripe from 'stripe';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { buyPlan, DAY, refusalOf, startBench } from '../../test/harness.ts';

// The simulator's time stands still, so that preview and bill are of one instant.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

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
      expect(invoice?.lines.data.map(billed)).toEqual(preview.lines.data.map(billed));
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

/** Prices to switch to, by what is special about them; the plan before is $25 a month. */
const PRICES = {
  same: { unit_amount: 2500, interval: 'month' },
  dearer: { unit_amount: 4000, interval: 'month' },
  yearly: { unit_amount: 25_000, interval: 'year' },
} as const;
const STATUSES = ['active', 'trialing'] as const;
const ANCHORS = [null, 'now', 'unchanged'] as const;
const TRIALS = [null, 'now', 'later'] as const;
const BEHAVIOURS = ['create_prorations', 'always_invoice', 'none'] as const;

/** The same amount of an object that lives a second or two later. */
const near = (value: number, wanted: number, what: string): void =>
  expect(Math.abs(value - wanted), `${what}: ${value}, not ${wanted}`).toBeLessThanOrEqual(2);

const combinations = STATUSES.flatMap((status) =>
  (['same', 'dearer', 'yearly'] as const).flatMap((to) =>
    ANCHORS.flatMap((anchor) =>
      TRIALS.flatMap((trial) => BEHAVIOURS.map((behaviour) => ({ status, to, anchor, trial, behaviour }))),
    ),
  ),
);

it('every combination of anchor, trial’s end and prorations bills what it gives, and previews what it bills', async () => {
  const { stripe, control } = await startBench();
  const made = new Map<keyof typeof PRICES, Stripe.Price>();
  for (const key of ['same', 'dearer', 'yearly'] as const) {
    const { unit_amount, interval } = PRICES[key];
    const product = 'prod_club_monthly';
    made.set(
      key,
      await stripe.prices.create({ currency: 'usd', unit_amount, recurring: { interval }, product }),
    );
  }
  const idOf = (key: keyof typeof PRICES): string => made.get(key)?.id ?? '';
  const started: { id: string; item: Stripe.SubscriptionItem; customer: string; latest: string }[] = [];
  for (const { status } of combinations) {
    const { id: customer } = await stripe.customers.create({
      payment_method: 'pm_card_visa',
      invoice_settings: { default_payment_method: 'pm_card_visa' },
    });
    const subscription = await stripe.subscriptions.create({
      customer,
      items: [{ price: idOf('same') }],
      ...(status === 'trialing' && { trial_period_days: 30 }),
    });
    const [item] = subscription.items.data;
    if (item === undefined) throw new Error('No item');
    started.push({ id: subscription.id, item, customer, latest: String(subscription.latest_invoice) });
  }
  const now = Number((await control('clock/advance', { days: 10 })).now);

  for (const [index, combination] of combinations.entries()) {
    const { status, to, anchor, trial, behaviour } = combination;
    const what = JSON.stringify(combination);
    const begun = started[index];
    if (begun === undefined) throw new Error('Nothing was started');
    const { id, item, customer, latest } = begun;
    const change = {
      items: [{ id: item.id, price: idOf(to) }],
      proration_behavior: behaviour,
      ...(anchor !== null && { billing_cycle_anchor: { type: anchor } }),
      ...(trial !== null && { trial_end: trial === 'now' ? ('now' as const) : now + 60 * DAY }),
    };
    const ask = { subscription: id, subscription_details: change };
    const preview = await stripe.invoices.createPreview(ask).catch(() => null);
    const switched = await stripe.subscriptions.update(id, change).catch(() => null);
    // Stripe refuses to leave the anchor where it is when the interval changes; nothing else may be refused.
    if (switched === null) {
      expect([preview, to, anchor], what).toEqual([null, 'yearly', 'unchanged']);
      continue;
    }
    const [after] = switched.items.data;
    const [start, end] = [after?.current_period_start ?? 0, after?.current_period_end ?? 0];
    expect(after?.price.id, what).toBe(idOf(to));
    expect(end, what).toBeGreaterThan(now);
    const isTrial = switched.status === 'trialing';
    expect(isTrial, what).toBe(trial === 'later' || (status === 'trialing' && trial !== 'now'));
    const length = (end - start) / DAY;
    if (!isTrial && PRICES[to].interval === 'month') expect(length >= 28 && length <= 31, what).toBe(true);
    if (!isTrial && PRICES[to].interval === 'year') expect(length >= 365 && length <= 366, what).toBe(true);

    const bill = String(switched.latest_invoice);
    const billed = bill === latest ? undefined : (await stripe.invoices.retrieve(bill)).total;
    const { data: pending } = await stripe.invoiceItems.list({ customer, pending: true });
    const waiting = pending.reduce((sum, row) => sum + row.amount, 0);
    // Another interval, and what is asked to be invoiced, does not wait for the next bill.
    if (!isTrial && (to === 'yearly' || behaviour === 'always_invoice')) expect(waiting, what).toBe(0);
    const restOfOld =
      status === 'active'
        ? (2500 * (item.current_period_end - now)) / (item.current_period_end - item.current_period_start)
        : 0;
    const changes = to !== 'same' || start !== item.current_period_start;
    const given = isTrial ? 0 : (PRICES[to].unit_amount * (end - Math.max(start, now))) / (end - start);
    const isNewPeriod = start >= now;
    const owed = isTrial && status === 'trialing' ? 0 : given - restOfOld;
    if (behaviour === 'none') near(billed ?? 0, isNewPeriod ? given : 0, what);
    else if (changes) near((billed ?? 0) + waiting, owed, what);
    else near((billed ?? 0) + waiting, 0, what);
    if (billed !== undefined) near(preview?.total ?? Number.NaN, billed, `preview of ${what}`);
  }
}, 120_000);
