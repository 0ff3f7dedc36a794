import type Stripe from 'stripe';
import { expect, it } from 'vitest';
import { DAY, startBench } from '../../test/harness.ts';

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
