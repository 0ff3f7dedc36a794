import { PACK, PLAN } from '@extension-billing/contract/test/catalog';
import type { Stripe } from 'stripe';
import { describe, expect, it } from 'vitest';
import { aConfig } from '../../test/app/config.ts';
import type { Purchase } from './fields.ts';
import { sealOf } from './seal.ts';
import { type CheckoutWish, closeCheckoutSession, returnTo, sessionParams } from './sessions.ts';

const plan: Purchase = {
  uid: 'user-1',
  kind: 'subscription',
  lookupKey: PLAN.metered,
  priceId: 'price_metered',
  credits: 0,
  monthlyCredits: 1000,
};
const pack: Purchase = {
  uid: 'user-1',
  kind: 'pack',
  lookupKey: PACK.small,
  priceId: 'price_pack',
  credits: 100,
  monthlyCredits: 0,
};

function wish(purchase: Purchase, trialDays = 0): CheckoutWish {
  return { purchase, customerId: 'cus_1', trialDays, attempt: 'attempt-1', currency: null, extension: null };
}

describe('the session of a project', () => {
  it('is tagged with it, and so is what it creates: other projects may share the account', () => {
    const tagged = sessionParams(aConfig({ project: 'my-project' }), wish(pack));
    expect(tagged.metadata).toMatchObject({ project: 'my-project', kind: 'pack' });
    expect(tagged.payment_intent_data?.metadata).toEqual(tagged.metadata);
    const subscription = sessionParams(aConfig({ project: 'my-project' }), wish(plan));
    expect(subscription.subscription_data?.metadata).toMatchObject({ project: 'my-project' });
  });
});

describe('the session of a subscription', () => {
  it('tells whom and what it is for, and so does the subscription it makes', () => {
    const params = sessionParams(aConfig(), wish(plan, 7));
    const metadata = sealOf(aConfig()).seal({
      uid: 'user-1',
      kind: 'subscription',
      lookup_key: PLAN.metered,
      price_id: 'price_metered',
      monthly_credits: '1000',
    });
    expect(params).toEqual({
      mode: 'subscription',
      line_items: [{ price: 'price_metered', quantity: 1 }],
      customer: 'cus_1',
      client_reference_id: 'user-1',
      metadata,
      subscription_data: { metadata, trial_period_days: 7 },
      success_url: 'http://127.0.0.1:5056/billing/success.html',
      cancel_url: 'http://127.0.0.1:5056/billing/cancel.html',
    });
  });

  it('has no trial of zero days, which the provider refuses', () => {
    expect(sessionParams(aConfig(), wish(plan)).subscription_data).not.toHaveProperty('trial_period_days');
  });
});

describe('the return page', () => {
  const own = { ...aConfig(), successUrl: 'https://shop.example/ok.html?extension=abc' };
  const shown = { currency: 'eur', amount: 800 };
  const bought = (trialDays = 0, config = own) =>
    URL.parse(sessionParams(config, { ...wish(plan, trialDays), shown }).success_url ?? '')?.search;

  it('is told what was bought, and for how much if that is certain', () => {
    expect(bought()).toBe(`?extension=abc&bought=${PLAN.metered}&amount=800&currency=eur`);
    const unsure = { ...own, allowPromoCodes: true };
    for (const search of [bought(7), bought(0, unsure)])
      expect(search).toBe(`?extension=abc&bought=${PLAN.metered}`);
  });
});

describe('the session of a pack', () => {
  it('puts the credits on the payment too, where its refund will look for them', () => {
    const params = sessionParams(aConfig(), wish(pack));
    expect(params.mode).toBe('payment');
    expect(params.payment_intent_data?.metadata).toEqual(params.metadata);
    expect(params.metadata).toMatchObject({ kind: 'pack', credits: '100', uid: 'user-1' });
    expect(params).not.toHaveProperty('subscription_data');
  });
});

describe('the switches', () => {
  it('automatic tax takes the address that the buyer types', () => {
    const params = sessionParams(aConfig({ automaticTax: true }), wish(plan));
    expect(params).toMatchObject({ automatic_tax: { enabled: true }, customer_update: { address: 'auto' } });
  });

  it('promotion codes are asked for only when switched on', () => {
    expect(sessionParams(aConfig({ allowPromoCodes: true }), wish(pack)).allow_promotion_codes).toBe(true);
    expect(sessionParams(aConfig(), wish(pack))).not.toHaveProperty('allow_promotion_codes');
  });
});

describe('closing an earlier session', () => {
  const refusal = Object.assign(new Error('not open'), { type: 'StripeInvalidRequestError' });

  function provider(expire: () => Promise<unknown>, retrieve: () => Promise<unknown>): Stripe {
    return { checkout: { sessions: { expire, retrieve } } } as unknown as Stripe;
  }
  const refused = () => Promise.reject(refusal);
  const unknown = () => Promise.reject(Object.assign(new Error('no'), { code: 'resource_missing' }));
  const paid = (payment_status: string, status: string | null, latest_charge: object) => async () => ({
    status: 'complete',
    mode: 'payment',
    payment_status,
    payment_intent: status === null ? null : { status, latest_charge },
  });
  const complete = (status: string) => async () => ({ status: 'complete', subscription: { status } });

  it.each([
    ['open', provider(async () => ({}), refused), 'unused'],
    ['expired already', provider(refused, async () => ({ status: 'expired' })), 'unused'],
    ['unknown', provider(refused, unknown), 'unused'],
    ['completed just now', provider(refused, complete('trialing')), 'subscribed'],
    ['completed long ago', provider(refused, complete('canceled')), 'used_and_over'],
    ['paid once and for all', provider(refused, paid('paid', 'succeeded', {})), 'owned'],
    ['given for nothing', provider(refused, paid('no_payment_required', null, {})), 'owned'],
    ['paid by a method that takes days', provider(refused, paid('unpaid', 'processing', {})), 'owned'],
    ['not paid in the end', provider(refused, paid('unpaid', 'canceled', {})), 'used_and_over'],
    ['refunded since', provider(refused, paid('paid', 'succeeded', { refunded: true })), 'used_and_over'],
    ['disputed since', provider(refused, paid('paid', 'succeeded', { disputed: true })), 'used_and_over'],
  ])('that is %s', async (_state, stripe, outcome) => {
    expect((await closeCheckoutSession(stripe, 'cs_1')).kind).toBe(outcome);
  });

  it('says whether it began a trial, also where the subscription is over', async () => {
    const trialed = async () => ({ status: 'complete', subscription: { status: 'canceled', trial_end: 1 } });
    const used = await closeCheckoutSession(provider(refused, trialed), 'cs_1');
    expect(used).toEqual({ kind: 'used_and_over', trialUsed: true });
    const paidAtOnce = await closeCheckoutSession(provider(refused, complete('active')), 'cs_1');
    expect(paidAtOnce).toEqual({ kind: 'subscribed', trialUsed: false });
  });

  it('does not take a question that was not understood for an answer', async () => {
    await expect(closeCheckoutSession(provider(refused, refused), 'cs_1')).rejects.toBe(refusal);
  });

  it('does not take an outage for an answer', async () => {
    const outage = Object.assign(new Error('down'), { type: 'StripeConnectionError' });
    await expect(
      closeCheckoutSession(
        provider(() => Promise.reject(outage), refused),
        'cs_1',
      ),
    ).rejects.toBe(outage);
  });
});

describe('the session of a price in several currencies', () => {
  it('is made in the one that is charged, and the subscription keeps what it costs', () => {
    const abroad = { ...plan, charged: { currency: 'eur', amount: 1700 } };
    const params = sessionParams(aConfig(), { ...wish(abroad), currency: 'eur' });
    expect(params.currency).toBe('eur');
    expect(params.subscription_data?.metadata).toMatchObject({ charged: 'eur:1700' });
    expect(sessionParams(aConfig(), wish(plan))).not.toHaveProperty('currency');
  });
});

describe('a return page', () => {
  const page = 'https://shop.example/billing/success.html';
  const [ours, other] = ['a'.repeat(32), 'b'.repeat(32)];

  it('wakes the extension that asked, and else the one that its address names', () => {
    expect(returnTo(`${page}?extension=${ours}`, other)).toBe(`${page}?extension=${other}`);
    expect(returnTo(`${page}?x=1&extension=${ours}#end`, other)).toBe(`${page}?x=1&extension=${other}#end`);
    expect(returnTo(`${page}?extension=${ours}`, null)).toBe(`${page}?extension=${ours}`);
  });

  it('of the owner’s own stays as it is', () => {
    expect(returnTo(page, other)).toBe(page);
  });
});
