import { testCatalog } from '@extension-billing/contract/test/catalog';
import type { Stripe } from 'stripe';
import { describe, expect, it } from 'vitest';
import { completeInvoice, translateInvoice } from './invoices.ts';
import { readSubscription } from './subscriptions.ts';

const AT = 1_800_000_000;
const DAY = 86_400;
const MONTH = { start: AT, end: AT + 30 * DAY };

const PRICES: Readonly<Record<string, Record<string, string>>> = {
  price_metered: { monthly_credits: '1000' },
  price_yearly: {},
  price_add_on: {},
  price_small: { monthly_credits: '50' },
};

/** A line as Stripe has them since 2025-03-31. */
function line(price: string, over: object = {}, { proration = false, quantity = 1 as number | null } = {}) {
  return {
    id: `il_${price}`,
    period: MONTH,
    quantity,
    pricing: { type: 'price_details', price_details: { price, product: 'prod_1' } },
    parent: {
      type: 'subscription_item_details',
      invoice_item_details: null,
      subscription_item_details: { subscription: 'sub_1', subscription_item: 'si_1', proration },
    },
    ...over,
  };
}

/** A line of an invoice item, as one-off charges are and prorations that waited for an invoice. */
function item(price: string, { proration = false, period = MONTH } = {}) {
  const details = { invoice_item: 'ii_1', proration, proration_details: null, subscription: 'sub_1' };
  const parent = {
    type: 'invoice_item_details',
    subscription_item_details: null,
    invoice_item_details: details,
  };
  return line(price, { id: 'il_item', period, parent });
}

const METERED = { uid: 'ada', price_id: 'price_metered', monthly_credits: '1000' };
const YEARLY = { uid: 'ada', price_id: 'price_yearly' };

interface Paid {
  readonly lines: readonly object[];
  readonly hasMore?: boolean;
  readonly metadata?: Record<string, string>;
  readonly reason?: string;
  /** Of the subscription, as the provider has it now. */
  readonly now?: Record<string, string>;
}

/** What a paid invoice grants, and what the provider was asked for it. */
async function granted({
  lines,
  hasMore = false,
  metadata = METERED,
  reason = 'subscription_cycle',
  now,
}: Paid) {
  const asked: string[] = [];
  const client = {
    subscriptions: {
      async retrieve(id: string) {
        asked.push(id);
        return { id, metadata: now ?? metadata, items: { data: [{ price: { id: 'price_theirs' } }] } };
      },
    },
    invoices: {
      async *listLineItems(invoice: string) {
        asked.push(invoice);
        yield* lines;
      },
    },
    prices: {
      async retrieve(price: string) {
        asked.push(price);
        if (PRICES[price] === undefined) throw Object.assign(new Error('no such price'), { statusCode: 404 });
        return { metadata: PRICES[price] };
      },
    },
  };
  const invoice = {
    id: 'in_1',
    created: AT,
    period_start: AT - 30 * DAY,
    billing_reason: reason,
    amount_paid: 1900,
    customer: 'cus_1',
    metadata: {},
    parent: { type: 'subscription_details', subscription_details: { subscription: 'sub_1', metadata } },
    lines: { data: hasMore ? lines.slice(0, 10) : lines, has_more: hasMore },
  };
  const { fact, ask } = translateInvoice(invoice as unknown as Stripe.Invoice, AT * 1000, SELLER);
  const complete = await completeInvoice(async () => client as unknown as Stripe, fact, ask, SELLER);
  const credits = complete.kind === 'allowance_paid' ? complete.credits : complete.kind;
  return { credits, asked, fact: complete };
}

const SELLER = { project: 'shop', catalog: testCatalog };
const ofMonth = { periodStart: MONTH.start * 1000, periodEnd: MONTH.end * 1000, amountPaid: 1900 };

describe('an invoice that pays for a full period grants, whatever it was made for', () => {
  it('a trial that was ended now', async () => {
    const { credits, asked, fact } = await granted({
      lines: [line('price_metered')],
      reason: 'subscription_update',
    });
    expect({ credits, asked }).toEqual({ credits: 1000, asked: [] });
    expect(fact).toMatchObject({ ...ofMonth, renews: true });
  });

  it('a yearly plan that was switched to the metered one, with a credit for the rest of the year', async () => {
    const back = line('price_yearly', { period: { start: AT, end: AT + 300 * DAY } }, { proration: true });
    const { credits, asked, fact } = await granted({
      lines: [back, line('price_metered')],
      metadata: YEARLY,
      reason: 'subscription_update',
    });
    expect({ credits, asked }).toEqual({ credits: 1000, asked: ['price_metered'] });
    expect(fact).toMatchObject(ofMonth);
  });

  it.each([
    ['a switch within the period', [line('price_metered', {}, { proration: true })], 'subscription_update'],
    ['a proration that waited', [item('price_metered', { proration: true })], 'subscription_update'],
    ['an invoice by hand', [item('price_metered')], 'manual'],
    ['usage so far', [line('price_metered')], 'subscription_threshold'],
  ])('but %s grants nothing', async (_what, lines, reason) => {
    expect((await granted({ lines, reason })).credits).toBe('customer_seen');
  });

  it('in the older shapes too', async () => {
    const older = {
      period: MONTH,
      quantity: 1,
      price: { id: 'price_metered', metadata: PRICES.price_metered },
    };
    const service = { ...older, type: 'subscription', proration: false };
    const once = { ...older, type: 'invoiceitem', proration: false };
    expect((await granted({ lines: [service], reason: 'subscription_update' })).credits).toBe(1000);
    expect((await granted({ lines: [once], reason: 'subscription_update' })).credits).toBe('customer_seen');
  });
});

describe('the service line of an invoice is found by price', () => {
  const later = { start: AT + DAY, end: AT + DAY };

  it.each([
    ['a one-off line that starts later', [line('price_metered'), item('price_add_on', { period: later })]],
    ['an add-on that is listed first', [line('price_add_on'), line('price_metered')]],
    ['an add-on that starts later', [line('price_metered'), line('price_add_on', { period: later })]],
  ])('beside %s', async (_what, lines) => {
    const { credits, asked, fact } = await granted({ lines });
    expect({ credits, asked }).toEqual({ credits: 1000, asked: [] });
    expect(fact).toMatchObject(ofMonth);
  });

  it('of a plan that was switched since: the one that grants most, wherever it stands', async () => {
    const add = line('price_add_on', { period: later });
    for (const lines of [
      [add, line('price_small'), line('price_metered')],
      [line('price_metered'), line('price_small'), add],
    ]) {
      const { credits, fact } = await granted({ lines, metadata: YEARLY });
      expect(credits).toBe(1000);
      expect(fact).toMatchObject(ofMonth);
    }
  });

  it('and what the provider does not know leaves the invoice’s own word', async () => {
    expect((await granted({ lines: [line('price_gone')] })).credits).toBe(1000);
    expect((await granted({ lines: [line('price_gone'), line('price_small')] })).credits).toBe(50);
  });

  it('beyond the ten lines that an event carries the provider is asked for the others', async () => {
    const usage = Array.from({ length: 10 }, () => item('price_add_on'));
    const beyond = await granted({ lines: [...usage, line('price_metered')], hasMore: true });
    expect(beyond).toMatchObject({ credits: 1000, asked: ['in_1'], fact: ofMonth });
    const switched = await granted({
      lines: [...usage, line('price_metered')],
      hasMore: true,
      metadata: YEARLY,
      reason: 'subscription_update',
    });
    expect(switched).toMatchObject({ credits: 1000, asked: ['in_1', 'price_metered'] });
    const among = await granted({ lines: [line('price_metered'), ...usage], hasMore: true });
    expect(among).toMatchObject({ credits: 1000, asked: [] });
  });
});

describe('an invoice that was made before its subscription was imported', () => {
  const imported = { uid: 'ada', project: 'shop', price_id: 'price_theirs', monthly_credits: '1000' };
  const lines = [line('price_theirs')];

  it('brings what the subscription says was sold', async () => {
    const paid = { lines, metadata: { theirs: 'yes' }, now: imported };
    expect(await granted(paid)).toMatchObject({ credits: 1000, asked: ['sub_1'] });
  });

  it('asks for the price if the subscription says nothing either', async () => {
    expect(await granted({ lines, metadata: {} })).toMatchObject({
      credits: 0,
      asked: ['sub_1', 'price_theirs'],
    });
  });
});

describe('several of a plan', () => {
  it.each([
    [3, 3000],
    [0, 0],
    [null, 1000],
    [-1, 1000],
  ])('quantity %j grants %i credits', async (quantity, credits) => {
    const lines = [line('price_metered', {}, { quantity })];
    expect((await granted({ lines })).credits).toBe(credits);
    expect((await granted({ lines, metadata: YEARLY })).credits).toBe(credits);
  });
});

describe('the item of a subscription that the plan is', () => {
  const priceOf = (key: string) => ({
    price: { id: `price_${key}`, lookup_key: key, metadata: PRICES[`price_${key}`] ?? {} },
    current_period_end: AT,
  });
  const planOf = (items: readonly object[], metadata: object) =>
    readSubscription(
      { status: 'active', metadata, items: { data: items } } as unknown as Stripe.Subscription,
      SELLER,
    ).state.lookupKey;

  it('is the one that was bought, else the one that grants most, in whichever place', () => {
    const [addOn, metered] = [priceOf('add_on'), priceOf('metered')];
    for (const items of [
      [addOn, metered],
      [metered, addOn],
    ]) {
      expect(planOf(items, METERED)).toBe('metered');
      expect(planOf(items, YEARLY)).toBe('metered');
    }
    expect(planOf([addOn, priceOf('yearly')], YEARLY)).toBe('yearly');
  });
});
