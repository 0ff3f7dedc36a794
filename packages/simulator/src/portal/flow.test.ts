import type Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { buyPlan, refusalOf, startBench } from '../../test/harness.ts';

const LATER = { conditions: [{ type: 'decreasing_item_amount' }, { type: 'shortening_interval' }] } as const;
const REFUSED_LATER = '4000000000000341';

/** A customer of a plan, and the page on which the change to another one is to be confirmed. */
async function changing(
  to: string,
  given: Parameters<typeof buyPlan>[1] & { trialBehaviour?: 'continue_trial' | 'end_trial' } = {},
) {
  const bench = await startBench();
  const { customer, subscription } = await buyPlan(bench, { lookupKey: 'club_monthly', ...given });
  const plans = await Promise.all(['club_monthly', 'club_plus_monthly', 'club_yearly'].map(bench.price));
  const { id: configuration } = await bench.stripe.billingPortal.configurations.create({
    features: {
      subscription_update: {
        enabled: true,
        default_allowed_updates: ['price'],
        products: plans.map((price) => ({ product: String(price.product), prices: [price.id] })),
        proration_behavior: 'always_invoice',
        trial_update_behavior: given.trialBehaviour ?? 'continue_trial',
        schedule_at_period_end: { conditions: [...LATER.conditions] },
      },
    },
  });
  const open = async (key = to, completion?: FlowData['after_completion']) =>
    bench.stripe.billingPortal.sessions.create({
      customer,
      configuration,
      return_url: 'https://example.com/plans',
      flow_data: {
        type: 'subscription_update_confirm',
        after_completion: completion ?? {
          type: 'redirect',
          redirect: { return_url: 'https://example.com/changed' },
        },
        subscription_update_confirm: {
          subscription: subscription.id,
          items: [{ id: subscription.items.data[0]?.id ?? '', price: (await bench.price(key)).id }],
        },
      },
    });
  const session = await open();
  const show = async () => (await fetch(session.url)).text();
  const confirm = ({ url }: { url: string } = session) =>
    fetch(url, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ action: 'confirm' }),
    });
  const now = () => bench.stripe.subscriptions.retrieve(subscription.id);
  const end = subscription.items.data[0]?.current_period_end ?? 0;
  return { bench, customer, subscription, session, open, show, confirm, now, end };
}
type FlowData = NonNullable<Stripe.BillingPortal.SessionCreateParams['flow_data']>;

const keyOf = ({ items }: Stripe.Subscription) => items.data[0]?.price.lookup_key;
const half = (end: number, { items }: Stripe.Subscription) =>
  Math.round((end + (items.data[0]?.current_period_start ?? 0)) / 2);

describe('an upgrade to be confirmed', () => {
  it('shows both plans, credit, debit and what is due, and does that', async () => {
    const { bench, show, confirm, now, subscription, end } = await changing('club_plus_monthly');
    await bench.control('clock/advance', { to: half(end, subscription) });
    const page = await show();
    for (const text of ['Club', 'Club Plus', 'Unused time on Club', 'Remaining time on Club Plus', '€5.00'])
      expect(page).toContain(text);
    const done = await confirm();
    expect([done.status, done.headers.get('location')]).toEqual([303, 'https://example.com/changed']);
    expect(keyOf(await now())).toBe('club_plus_monthly');
    const [invoice] = (await bench.stripe.invoices.list({ subscription: subscription.id })).data;
    expect(invoice).toMatchObject({
      billing_reason: 'subscription_update',
      status: 'paid',
      amount_paid: 500,
    });
  });

  it('begins a whole period where the interval is longer', async () => {
    const { bench, show, confirm, now, subscription } = await changing('club_yearly');
    expect(await show()).toContain('data-effect="now"');
    await confirm();
    expect(keyOf(await now())).toBe('club_yearly');
    const [invoice] = (await bench.stripe.invoices.list({ subscription: subscription.id })).data;
    expect(invoice?.lines.data.map(({ amount }) => amount)).toContain(9000);
  });

  it('changes nothing when the card refuses what is due, and says so', async () => {
    const { bench, customer, confirm, now } = await changing('club_plus_monthly');
    await bench.control(`customers/${customer}/card`, { card: REFUSED_LATER });
    const refused = await confirm();
    expect(refused.status).toBe(402);
    expect(await refused.text()).toContain('Your card was declined.');
    expect([keyOf(await now()), (await now()).status]).toEqual(['club_monthly', 'active']);
  });

  it('is done once', async () => {
    const { confirm, show, bench, subscription } = await changing('club_plus_monthly');
    await confirm();
    expect((await confirm()).status).toBe(200);
    expect(await show()).toContain('Your plan was updated');
    expect((await bench.stripe.invoices.list({ subscription: subscription.id })).data).toHaveLength(2);
  });

  it.each([
    ['continue_trial', 'trialing', 'data-effect="trial"'],
    ['end_trial', 'active', 'data-effect="now"'],
  ] as const)('with %s leaves a trial %s', async (trialBehaviour, status, effect) => {
    const { show, confirm, now } = await changing('club_plus_monthly', { trialDays: 7, trialBehaviour });
    expect(await show()).toContain(effect);
    await confirm();
    expect([keyOf(await now()), (await now()).status]).toEqual(['club_plus_monthly', status]);
  });

  it.each([
    [{ type: 'portal_homepage' }, 'Your plan was updated.'],
    [{ type: 'hosted_confirmation', hosted_confirmation: { custom_message: 'See you' } }, 'See you'],
  ] as const)('goes on with %o', async (completion, says) => {
    const { open, confirm, session } = await changing('club_plus_monthly');
    const made = await open('club_plus_monthly', completion);
    const { headers } = await confirm(made);
    const next = await fetch(new URL(headers.get('location') ?? '', session.url));
    expect(await next.text()).toContain(says);
  });
});

describe('a downgrade to be confirmed', () => {
  const downgrading = async () => {
    const all = await changing('club_monthly', { lookupKey: 'club_plus_monthly' });
    return { ...all, page: await all.show(), done: await all.confirm() };
  };

  it('is put off until the period ends, at no cost today', async () => {
    const { page, done, now, bench, end, subscription } = await downgrading();
    expect(page).toContain('data-effect="later"');
    expect(done.status).toBe(303);
    const planned = await now();
    expect(keyOf(planned)).toBe('club_plus_monthly');
    const schedule = await bench.stripe.subscriptionSchedules.retrieve(String(planned.schedule));
    expect(schedule).toMatchObject({
      status: 'active',
      subscription: subscription.id,
      end_behavior: 'release',
      phases: [
        { end_date: end },
        { start_date: end, items: [{ price: (await bench.price('club_monthly')).id }] },
      ],
    });
    expect(await bench.eventTypes()).toEqual(
      expect.arrayContaining(['subscription_schedule.created', 'subscription_schedule.updated']),
    );
  });

  it('takes effect when the period ends, billed as a renewal, and its schedule ends a period later', async () => {
    const { now, bench, end, subscription } = await downgrading();
    const schedule = String((await now()).schedule);
    await bench.control('clock/advance', { to: end + 3601 });
    const changed = await now();
    expect(keyOf(changed)).toBe('club_monthly');
    const [invoice] = (await bench.stripe.invoices.list({ subscription: subscription.id })).data;
    expect(invoice).toMatchObject({ billing_reason: 'subscription_cycle', status: 'paid', amount_paid: 900 });
    await bench.control('clock/advance', { to: (changed.items.data[0]?.current_period_end ?? 0) + 3601 });
    expect(await bench.stripe.subscriptionSchedules.retrieve(schedule)).toMatchObject({
      status: 'completed',
    });
    expect(await now()).toMatchObject({ schedule: null, status: 'active' });
  });

  it('from a year to a month begins the months where the year ends', async () => {
    const { confirm, now, bench, end, show } = await changing('club_monthly', { lookupKey: 'club_yearly' });
    expect(await show()).toContain('data-effect="later"');
    await confirm();
    await bench.control('clock/advance', { to: end + 3601 });
    const changed = await now();
    expect(changed).toMatchObject({ billing_cycle_anchor: end });
    expect((changed.items.data[0]?.current_period_end ?? 0) - end).toBeLessThan(32 * 86_400);
  });

  it('is taken back by releasing its schedule, through the API or the portal', async () => {
    const { now, bench, customer, subscription } = await downgrading();
    const released = await bench.stripe.subscriptionSchedules.release(String((await now()).schedule));
    expect(released).toMatchObject({
      status: 'released',
      subscription: null,
      released_subscription: subscription.id,
    });
    expect(await now()).toMatchObject({ schedule: null });
    expect(await refusalOf(bench.stripe.subscriptionSchedules.release(released.id))).toMatchObject({
      statusCode: 400,
    });
    expect((await bench.stripe.subscriptionSchedules.list({ customer })).data).toHaveLength(1);
  });

  it('is shown in the portal, where it can be taken back', async () => {
    const { now, bench, customer, subscription } = await downgrading();
    const portal = await bench.stripe.billingPortal.sessions.create({ customer });
    expect(await (await fetch(portal.url)).text()).toContain('Your plan changes to Club on');
    const press = (action: string) =>
      fetch(portal.url, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ action, subscription: subscription.id }),
      });
    expect((await press('cancel')).status).toBe(402);
    expect((await press('keep')).status).toBe(303);
    expect(await now()).toMatchObject({ schedule: null });
  });

  it('keeps the subscription from being ended or changed past its schedule', async () => {
    const { bench, subscription, open } = await downgrading();
    const update = bench.stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true });
    expect((await refusalOf(update)).message).toContain('managed by the subscription schedule');
    expect(await refusalOf(open('club_yearly'))).toMatchObject({ statusCode: 400 });
  });

  it('ends with its subscription', async () => {
    const { bench, subscription, now } = await downgrading();
    const { schedule } = await now();
    await bench.stripe.subscriptions.cancel(subscription.id);
    expect(await bench.stripe.subscriptionSchedules.retrieve(String(schedule))).toMatchObject({
      status: 'canceled',
    });
  });
});

describe('a flow', () => {
  it('is refused for a price that its configuration does not offer', async () => {
    const { open } = await changing('club_plus_monthly');
    expect(await refusalOf(open('coins_small'))).toMatchObject({ statusCode: 400 });
    expect(await refusalOf(open('club_monthly'))).toMatchObject({ statusCode: 400 });
  });

  it('is refused for a subscription that is set to end, and over once it is', async () => {
    const { bench, open, show, subscription } = await changing('club_plus_monthly');
    await bench.stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true });
    expect(await refusalOf(open())).toMatchObject({ statusCode: 400 });
    expect(await show()).toContain('This change cannot be made any more');
  });
});
