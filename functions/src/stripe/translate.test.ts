import { PACK, PLAN, testCatalog } from '@extension-billing/contract/test/catalog';
import type { Stripe } from 'stripe';
import { describe, expect, it } from 'vitest';
import { anEvent, invoicePaid, packBought, subscriptionEvent } from '../../test/factories/provider-events.ts';
import { EVENT_TYPES, translateEvent } from './translate.ts';

const translate = (event: object) =>
  translateEvent(event as Stripe.Event, { project: null, catalog: testCatalog });
const metadata = { uid: 'ada', lookup_key: PACK.small, credits: '100' };

/** What an event tells, or why it tells nothing. */
function factOf(type: string, object: object): unknown {
  const translated = translate(anEvent(type, object));
  return translated.kind === 'event' ? translated.event.fact : translated.reason;
}

describe('an event that says less than Stripe does', () => {
  it('a session without mode and payment status, as before there were others, is a paid purchase', () => {
    const session = { id: 'cs_1', payment_intent: 'pi_1', customer: 'cus_1', metadata };
    expect(factOf('checkout.session.completed', session)).toMatchObject({
      kind: 'purchase_paid',
      purchase: 'pi_1',
      product: 'pack',
      credits: 100,
    });
  });

  it.each([
    [{ payment_status: 'unpaid' }],
    [{ payment_status: null }],
    [{ mode: 'setup' }],
    [{ mode: 'subscription' }],
  ])('but %j says that nothing was bought once', (over) => {
    const session = { id: 'cs_1', mode: 'payment', payment_status: 'paid', metadata, ...over };
    expect(factOf('checkout.session.completed', session)).toMatchObject({ kind: 'customer_seen' });
  });

  it.each([
    [PACK.large, 'pack'],
    [PLAN.lifetime, 'lifetime'],
  ])('the lookup key %s alone says what a charge was for', (lookup_key, product) => {
    const charge = { id: 'ch_1', amount: 500, amount_refunded: 5, metadata: { uid: 'ada', lookup_key } };
    expect(factOf('charge.refunded', charge)).toMatchObject({ kind: 'charge_refunded', product });
  });

  it.each([
    ['on itself', { metadata: { uid: 'ada', monthly_credits: '50' } }],
    ['on its line', { lines: { data: [{ metadata: { uid: 'ada', monthly_credits: '50' } }] } }],
    ['in older details', { subscription_details: { metadata: { uid: 'ada', monthly_credits: '50' } } }],
    [
      'on its line’s price',
      { lines: { data: [{ price: { id: 'p', metadata: { monthly_credits: '50' } } }] } },
    ],
  ])('an invoice with its credits %s, that does not say why it was made', (_where, over) => {
    const invoice = { id: 'in_1', created: 1_800_000_000, subscription: 'sub_1', customer: 'cus_1', ...over };
    expect(factOf('invoice.paid', invoice)).toMatchObject({
      kind: 'allowance_paid',
      credits: 50,
      periodStart: 1_800_000_000_000,
    });
  });
});

describe('whose credits an invoice brings', () => {
  const line = (price: string) => ({
    lines: { data: [{ period: { start: 1 }, pricing: { price_details: { price } } }] },
  });
  function creditsOf(price: string, told: object) {
    const event = invoicePaid({ uid: 'ada', subscription: 'sub_1' });
    const details = { subscription: 'sub_1', metadata: { uid: 'ada', ...told } };
    const object = { ...event.data.object, parent: { subscription_details: details }, ...line(price) };
    const translated = translate({ ...event, data: { object } });
    if (translated.kind === 'ignored') return translated.reason;
    return translated.ask?.kind === 'prices'
      ? translated.ask.lines.map((asked) => asked.price)
      : translated.ask;
  }

  it('the metadata’s, where the price is the one that was bought', () => {
    expect(creditsOf('price_a', { price_id: 'price_a', monthly_credits: '1000' })).toBeNull();
    expect(creditsOf('price_a', { price_id: 'price_a' })).toBeNull();
    expect(creditsOf('price_a', { monthly_credits: '1000' })).toBeNull();
  });

  it('the price’s own, where the plan was switched since, or was not bought here', () => {
    expect(creditsOf('price_b', { price_id: 'price_a', monthly_credits: '1000' })).toEqual(['price_b']);
    expect(creditsOf('price_b', { price_id: 'price_a' })).toEqual(['price_b']);
    expect(creditsOf('price_b', {})).toEqual(['price_b']);
  });
});

it('an event of a connected account is ignored, whoever it names', () => {
  const event = packBought({ uid: 'ada' });
  expect(translate({ ...event, account: 'acct_1' })).toMatchObject({
    kind: 'ignored',
    reason: 'of a connected account',
  });
  expect(translate({ ...event, account: null }).kind).toBe('event');
});

describe('an object that cannot be kept is ignored, for a reason', () => {
  const whole = { metadata: { uid: 'ada', kind: 'pack', credits: '1' }, mode: 'payment', status: 'lost' };
  const named = (id: unknown) => ({ ...whole, id, payment_intent: id, charge: id, customer: id });

  it.each(EVENT_TYPES)('%s with an id that can name nothing', (type) => {
    for (const id of ['', 'a/b', '..', '__x__', '\ud800', 'x'.repeat(256)]) {
      const object = { ...named(id), amount: 1, amount_refunded: 1 };
      expect(translate(anEvent(type, object)).kind).toBe('ignored');
    }
  });

  it.each(EVENT_TYPES.filter((type) => type !== 'invoice.paid'))('%s without an id', (type) => {
    for (const id of [undefined, null, 7]) {
      const object = { ...named(id), amount: 1, amount_refunded: 1 };
      expect(translate(anEvent(type, object)).kind).toBe('ignored');
    }
  });

  it.each([[undefined], [null], ['500'], [-1], [1.5]])('a refund of the amount %j', (amount) => {
    const charge = { ...named('ch_1'), amount, amount_refunded: amount };
    expect(factOf('charge.refunded', charge)).toBe('refund without its amounts');
    expect(factOf('refund.failed', charge)).toBe('refund without its amount');
  });

  it('fields of another type than Stripe’s never throw', () => {
    const odd = [
      undefined,
      null,
      7,
      'text',
      [],
      {},
      [null],
      { data: 'none' },
      { data: [null, 7, { period: 3 }] },
    ];
    for (const type of EVENT_TYPES) {
      for (const value of odd) {
        const fields = [
          'id',
          'customer',
          'metadata',
          'items',
          'lines',
          'parent',
          'created',
          'status',
          'charge',
          'price',
        ];
        const object = Object.fromEntries(fields.map((field) => [field, value]));
        expect(() => translate(anEvent(type, object))).not.toThrow();
        for (const field of fields) {
          const { data } = subscriptionEvent('updated', { uid: 'ada', subscription: 'sub_1' });
          for (const good of [data.object, packBought({ uid: 'ada' }).data.object])
            expect(() => translate(anEvent(type, { ...good, [field]: value }))).not.toThrow();
        }
      }
    }
  });

  it('a period that ends after all time has no end', () => {
    const { data } = subscriptionEvent('updated', { uid: 'ada', subscription: 'sub_1' });
    const object = { ...data.object, items: { data: [{ current_period_end: 253_402_300_800 }] } };
    expect(factOf('customer.subscription.updated', object)).toMatchObject({ state: { periodEnd: null } });
  });
});
