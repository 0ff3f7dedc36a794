import { describe, expect, it } from 'vitest';
import { type Bench, buyPack, buyPlan, refusalOf, startBench } from '../../test/harness.ts';

async function code(
  bench: Bench,
  percent: number,
  duration: 'once' | 'forever' | 'repeating',
  months?: number,
) {
  const coupon = await bench.stripe.coupons.create({
    percent_off: percent,
    duration,
    ...(months === undefined ? {} : { duration_in_months: months }),
  });
  return bench.stripe.promotionCodes.create({
    promotion: { type: 'coupon', coupon: coupon.id },
    code: 'SAVE',
  });
}

async function session(bench: Bench, lookupKey: string, allow: boolean, customer?: string) {
  const price = await bench.price(lookupKey);
  const made = await bench.stripe.checkout.sessions.create({
    mode: price.type === 'recurring' ? 'subscription' : 'payment',
    line_items: [{ price: price.id, quantity: 1 }],
    success_url: 'https://example.com',
    allow_promotion_codes: allow,
    ...(customer !== undefined && { customer }),
  });
  const post = (fields: Record<string, string>) =>
    fetch(made.url ?? '', { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields) });
  return { id: made.id, post };
}

describe('a promotion code', () => {
  it('typed on the page lowers what is due, however it is written', async () => {
    const bench = await startBench();
    await code(bench, 50, 'once');
    const { id, post } = await session(bench, 'coins_small', true);
    expect((await post({ action: 'promotion', promotion_code: ' save ' })).status).toBe(303);
    expect(await bench.stripe.checkout.sessions.retrieve(id)).toMatchObject({
      amount_subtotal: 500,
      amount_total: 250,
      total_details: { amount_discount: 250 },
    });
    await bench.control(`checkout/${id}/pay`, {});
    expect((await bench.stripe.charges.list()).data[0]?.amount).toBe(250);
    expect((await bench.stripe.promotionCodes.list({ code: 'SAVE' })).data[0]?.times_redeemed).toBe(1);
  });

  it('of 100 % leaves nothing to pay, and no payment intent', async () => {
    const bench = await startBench();
    await code(bench, 100, 'once');
    const { id, post } = await session(bench, 'coins_small', true);
    await post({ action: 'promotion', promotion_code: 'SAVE' });
    expect((await post({ action: 'pay', email: 'a@example.com' })).status).toBe(303);
    expect(await bench.stripe.checkout.sessions.retrieve(id)).toMatchObject({
      status: 'complete',
      payment_status: 'no_payment_required',
      payment_intent: null,
    });
  });

  it.each([
    [true, 'NOPE'],
    [false, 'SAVE'],
  ])('is refused (codes allowed: %s, typed: %s)', async (allow, typed) => {
    const bench = await startBench();
    await code(bench, 50, 'once');
    const { id, post } = await session(bench, 'coins_small', allow);
    expect((await post({ action: 'promotion', promotion_code: typed })).status).toBe(402);
    expect((await bench.stripe.checkout.sessions.retrieve(id)).amount_total).toBe(500);
  });

  it.each([
    ['once', undefined, [900, 900, 450]],
    ['repeating', 2, [900, 450, 450]],
    ['forever', undefined, [450, 450, 450]],
  ] as const)('that lasts %s takes off a plan’s invoices accordingly', async (duration, months, totals) => {
    const bench = await startBench();
    await code(bench, 50, duration, months);
    const { id, post } = await session(bench, 'club_monthly', true);
    await post({ action: 'promotion', promotion_code: 'SAVE' });
    await bench.control(`checkout/${id}/pay`, {});
    await bench.control('clock/advance', { days: 63 });
    const { data } = await bench.stripe.invoices.list();
    expect(data.map((invoice) => invoice.amount_paid)).toEqual(totals);
    expect(data.at(-1)?.total_discount_amounts?.[0]?.amount).toBe(450);
  });

  it.each([
    [{ minimum_amount: 1000, minimum_amount_currency: 'eur' }, 402],
    [{ minimum_amount: 500, minimum_amount_currency: 'eur' }, 303],
    [{ first_time_transaction: true }, 402],
  ])('restricted to %o is answered %i at a second purchase of 500', async (restrictions, status) => {
    const bench = await startBench();
    const { charge } = await buyPack(bench);
    const coupon = await bench.stripe.coupons.create({ percent_off: 50, duration: 'once' });
    await bench.stripe.promotionCodes.create({
      promotion: { type: 'coupon', coupon: coupon.id },
      code: 'SAVE',
      restrictions,
    });
    const { post } = await session(bench, 'coins_small', true, String(charge.customer));
    expect((await post({ action: 'promotion', promotion_code: 'SAVE' })).status).toBe(status);
  });

  it('exists once', async () => {
    const bench = await startBench();
    await code(bench, 50, 'once');
    expect((await refusalOf(code(bench, 20, 'once'))).message).toContain('already exists');
  });
});

describe('a card that asks for 3-D Secure', () => {
  const CARD = { action: 'pay', email: 'a@example.com', number: '4000 0025 0000 3155' };

  it('is charged after its customer confirmed', async () => {
    const bench = await startBench();
    const { id, post } = await session(bench, 'club_monthly', false);
    const asked = await post(CARD);
    expect(await asked.text()).toContain('value="authenticate"');
    expect((await bench.stripe.checkout.sessions.retrieve(id)).status).toBe('open');
    expect((await post({ action: 'authenticate', result: 'ok' })).status).toBe(303);
    expect((await bench.stripe.checkout.sessions.retrieve(id)).status).toBe('complete');
    await bench.control('clock/advance', { days: 32 });
    expect((await bench.stripe.subscriptions.list()).data[0]?.status).toBe('active');
  });

  it('is refused when its customer did not', async () => {
    const bench = await startBench();
    const { id, post } = await session(bench, 'coins_small', false);
    await post(CARD);
    const failed = await post({ action: 'authenticate', result: 'fail' });
    expect(failed.status).toBe(402);
    expect(await failed.text()).toContain('unable to authenticate');
    expect((await bench.stripe.checkout.sessions.retrieve(id)).status).toBe('open');
    expect((await post({ action: 'authenticate', result: 'ok' })).status).toBe(402);
  });

  it('at every charge leaves the renewal to be confirmed', async () => {
    const bench = await startBench();
    const { subscription } = await buyPlan(bench, { card: '4000002760003184' });
    await bench.control('clock/advance', { days: 32 });
    expect((await bench.stripe.subscriptions.retrieve(subscription.id)).status).toBe('past_due');
    const [intent] = (await bench.stripe.paymentIntents.list()).data;
    expect(intent?.status).toBe('requires_action');
  });
});
