import { creditsAt } from '@extension-billing/contract/credits';
import { encodeRecord, readRecord } from '@extension-billing/contract/record';
import { type AllowanceTerms, FREE, FREE_GUEST, type Pool } from '@extension-billing/contract/schedule';
import { testCatalog } from '@extension-billing/contract/test/catalog';
import { DAY } from '@extension-billing/contract/time';
import { describe, expect, it } from 'vitest';
import { PureAccount } from '../../test/fixtures/account.ts';
import type { Fact, SubscriptionState } from '../stripe/facts.ts';
import { derive, NOTHING_SPENT } from './derive.ts';
import { NO_FACTS, reduce } from './facts.ts';

const plan = testCatalog.plans.find(({ kind }) => kind === 'subscription')?.lookupKey ?? null;

const on = (date: string) => Date.parse(`${date}T10:00:00Z`);

/** A subscription as an event shows it. */
const subscription = (at: number, state: Partial<SubscriptionState>, id = 'sub'): Fact => ({
  kind: 'subscription_seen',
  subscription: id,
  state: {
    ...{ status: 'active', cancel: false, lookupKey: plan, periodEnd: null, trialed: false, tagged: true },
    ...state,
  },
  first: false,
  at,
});

/** A paid invoice of it, by default of a year of 1,000 a month. */
const paid = (
  from: number,
  until: number,
  { amount: credits, ...terms }: AllowanceTerms = { amount: 1000, every: 'month' },
  id = 'sub',
): Fact => ({
  kind: 'allowance_paid',
  subscription: id,
  invoice: `in_${id}_${from}`,
  ...{ periodStart: from, periodEnd: until, amountPaid: 900, invoiceCreated: from, renews: true },
  ...{ credits, terms, billed: { price: 'price_plain', quantity: 1 }, at: from },
});

const bought = (purchase: string, at: number, more: object): Fact => ({
  ...{ kind: 'purchase_paid', purchase, product: 'pack', credits: 0, lookupKey: null, at },
  ...more,
});
const refunded = (
  purchase: string,
  refunded: number,
  at: number,
  product: 'pack' | 'lifetime' = 'pack',
): Fact => ({
  ...{ kind: 'charge_refunded', purchase, charge: `ch_${purchase}`, product, amount: 100, refunded, at },
});

function account(...heard: readonly (readonly [Fact, number])[]) {
  const made = new PureAccount();
  for (const [fact, now] of heard) made.hears(fact, now);
  const has = (now: number) => creditsAt(made.record, now);
  return { made, has };
}

const START = on('2026-01-31');
const YEAR = on('2027-01-31');
const yearly = () =>
  account(
    [subscription(START, { anchor: START, periodEnd: YEAR }), START],
    [paid(START, YEAR), START + 5_000],
  );

describe('a yearly plan with monthly credits', () => {
  it('has a full allowance each month, at the anchor’s day or the last of a shorter month', () => {
    const { made, has } = yearly();
    expect(has(START)).toEqual({ allowance: 1000, packs: 0 });
    expect(made.spends(700, START + DAY)).toBe(true);
    expect(has(on('2026-02-28') - 1)).toEqual({ allowance: 300, packs: 0 });
    expect(has(on('2026-02-28'))).toEqual({ allowance: 1000, packs: 0 });
    expect(made.spends(1000, on('2026-03-30'))).toBe(true);
    expect(made.spends(1, on('2026-03-31') - 1)).toBe(false);
    expect(made.spends(1, on('2026-03-31'))).toBe(true);
  });

  it('begins no month after what is paid, and goes on when the renewal comes days late', () => {
    const { made, has } = yearly();
    made.spends(600, on('2026-12-31'));
    // The last month's rest stays for a while, since a payment may come late.
    expect(has(YEAR + 3 * DAY)).toEqual({ allowance: 400, packs: 0 });
    made.hears(paid(YEAR, on('2028-01-31')), YEAR + 3 * DAY);
    expect(has(YEAR + 3 * DAY)).toEqual({ allowance: 1000, packs: 0 });
    expect(has(on('2027-02-28'))).toEqual({ allowance: 1000, packs: 0 });
  });

  it('has nothing left a month after a renewal that never came', () => {
    const { has } = yearly();
    expect(has(YEAR + 30 * DAY - 1)).toEqual({ allowance: 1000, packs: 0 });
    expect(has(YEAR + 30 * DAY)).toEqual({ allowance: 0, packs: 0 });
  });

  it('that was bought on a leap day goes on from the leap day', () => {
    const [leap, end] = [on('2028-02-29'), on('2029-02-28')];
    const { made, has } = account(
      [subscription(leap, { anchor: leap, periodEnd: end }), leap],
      [paid(leap, end), leap],
      [paid(end, on('2030-02-28')), end],
    );
    made.spends(1000, end);
    expect(has(on('2029-03-29') - 1)).toEqual({ allowance: 0, packs: 0 });
    expect(has(on('2029-03-29'))).toEqual({ allowance: 1000, packs: 0 });
  });

  it('has one allowance in its trial, and another from the first payment on', () => {
    const end = START + 7 * DAY;
    const trial = { status: 'trialing', trialed: true, anchor: end, periodEnd: end };
    const facts: Fact[] = [
      subscription(START, trial),
      paid(START, end),
      subscription(end, { ...trial, status: 'active', periodEnd: YEAR + 7 * DAY }),
      paid(end, YEAR + 7 * DAY),
    ];
    for (const order of [facts, [...facts].reverse()]) {
      const { made, has } = account(...order.map((fact) => [fact, end] as const));
      expect(has(end)).toEqual({ allowance: 1000, packs: 0 });
      made.spends(1000, end);
      expect(has(end + 27 * DAY)).toEqual({ allowance: 0, packs: 0 });
    }
    const { made, has } = account(...facts.slice(0, 2).map((fact) => [fact, START] as const));
    made.spends(1000, START + DAY);
    expect(has(end)).toEqual({ allowance: 0, packs: 0 });
  });

  it('ends with its subscription', () => {
    const { made, has } = yearly();
    made.spends(10, START + DAY);
    made.hears(subscription(START + 9 * DAY, { status: 'canceled', anchor: START }), START + 9 * DAY);
    expect(has(START + 9 * DAY)).toEqual({ allowance: 0, packs: 0 });
    expect(made.ledger.at(-1)).toMatchObject({ kind: 'drop', deltaAllowance: -990 });
    expect(made.record).not.toHaveProperty('allowances');
  });

  it('counts from its payment on where this clock is behind the provider’s, once', () => {
    const { made, has } = account([paid(START, YEAR), START - 3_000]);
    expect(has(START - 3_000)).toEqual({ allowance: 1000, packs: 0 });
    made.spends(1000, START - 2_000);
    expect(has(START + 1)).toEqual({ allowance: 0, packs: 0 });
  });
});

describe('other terms', () => {
  const dearer = { amount: 5000, every: 'month' } as const;

  it('keep what was spent of the period under way, in whichever order they come', () => {
    const at = on('2026-02-10');
    const anchor = subscription(at, { anchor: at, periodEnd: on('2027-02-10') });
    const bill = paid(at, on('2027-02-10'), dearer);
    for (const order of [
      [anchor, bill],
      [bill, anchor],
    ]) {
      const { made, has } = yearly();
      made.spends(900, START + DAY);
      for (const fact of order) made.hears(fact, at + 1_000);
      expect(has(at + 1_000)).toEqual({ allowance: 4100, packs: 0 });
      expect(has(on('2026-02-28'))).toEqual({ allowance: 4100, packs: 0 });
      expect(has(on('2026-03-10'))).toEqual({ allowance: 5000, packs: 0 });
    }
  });

  it('of a dearer plan raise the period under way at once, while it is paid for, and never twice', () => {
    const at = START + 40 * DAY;
    const dear = { credits: 5000, terms: { every: 'month' }, price: 'price_dear', quantity: 1 } as const;
    const brings = { ...dear, from: START, until: YEAR };
    const state = { anchor: START, periodStart: START, periodEnd: YEAR, brings };
    const { made, has } = yearly();
    made.spends(900, at);
    made.hears(subscription(at, state), at);
    expect(has(at)).toEqual({ allowance: 4100, packs: 0 });
    expect(made.ledger.at(-1)).toMatchObject({ kind: 'allowance', deltaAllowance: 4000 });
    made.hears(subscription(at + 9_000, { ...state, status: 'past_due' }), at + 9_000);
    expect(has(at + 9_000)).toEqual({ allowance: 100, packs: 0 });
    made.hears(subscription(at + 19_000, state), at + 19_000);
    expect(has(at + 19_000)).toEqual({ allowance: 4100, packs: 0 });
    // Back to the cheaper plan: the dearer one was paid for.
    const less = { ...brings, credits: 1000, price: 'price_plain' };
    made.hears(subscription(at + DAY, { ...state, brings: less }), at + DAY);
    expect(has(at + DAY)).toEqual({ allowance: 4100, packs: 0 });
    expect(has(on('2026-03-31'))).toEqual({ allowance: 5000, packs: 0 });
    made.hears(paid(YEAR, on('2028-01-31')), YEAR);
    expect(has(YEAR)).toEqual({ allowance: 1000, packs: 0 });
  });

  it('that bring less take no more than is left, and what was spent is still spent when they go', () => {
    const at = START + DAY;
    const { made, has } = yearly();
    made.spends(700, at);
    const dispute = { kind: 'invoice_disputed', subscription: 'sub', dispute: 'du', amount: 900 } as const;
    const invoice = `in_sub_${START}`;
    made.hears({ ...dispute, invoice, outcome: 'open', disputed: 900, at }, at + 1_000);
    expect(has(at + 1_000)).toEqual({ allowance: 0, packs: 0 });
    expect(has(on('2026-02-28'))).toEqual({ allowance: 0, packs: 0 });
    made.hears({ ...dispute, invoice, outcome: 'won', disputed: 900, at: at + DAY }, at + DAY);
    expect(has(at + DAY)).toEqual({ allowance: 300, packs: 0 });
    expect(has(on('2026-02-28'))).toEqual({ allowance: 1000, packs: 0 });
  });

  it('carry over as much as they say, and keep to their limits', () => {
    const terms = {
      amount: 100,
      every: 'week',
      rollover: 50,
      limits: [{ amount: 30, every: '5h' }],
    } as const;
    const { made, has } = account([paid(START, YEAR, terms), START]);
    expect(has(START)).toEqual({ allowance: 30, packs: 0 });
    expect(made.spends(30, START)).toBe(true);
    expect(made.spends(1, START + 1_000)).toBe(false);
    expect(made.spends(30, START + 5 * 3_600_000)).toBe(true);
    made.spends(0, START + 7 * DAY);
    expect(made.record?.creditsAllowance).toBe(140);
  });
});

describe('a lifetime plan with credits', () => {
  const allowance = { amount: 300, every: 'month' } as const;
  const lifetime = bought('pi', START, { product: 'lifetime', lookupKey: 'forever', allowance });

  it('has them each month for good, and loses them with its money', () => {
    const { made, has } = account([lifetime, START]);
    made.spends(300, START + DAY);
    expect(has(on('2046-02-28'))).toEqual({ allowance: 300, packs: 0 });
    made.hears(refunded('pi', 40, START + 2 * DAY, 'lifetime'), on('2026-03-05'));
    expect(has(on('2026-03-05'))).toEqual({ allowance: 300, packs: 0 });
    made.hears(refunded('pi', 100, START + 30 * DAY, 'lifetime'), on('2026-03-06'));
    expect(has(on('2026-03-06'))).toEqual({ allowance: 0, packs: 0 });
    expect(made.ledger.at(-1)).toMatchObject({ kind: 'clawback', deltaAllowance: -300 });
  });

  it('gets no second allowance of a month when a dispute of it is won', () => {
    const { made, has } = account([lifetime, START]);
    const dispute = { kind: 'dispute_seen', purchase: 'pi', dispute: 'du', amount: 100 } as const;
    made.spends(200, START + DAY);
    made.hears({ ...dispute, outcome: 'open', disputed: 100, at: START + DAY }, START + DAY);
    expect(has(START + DAY)).toEqual({ allowance: 0, packs: 0 });
    made.hears({ ...dispute, outcome: 'won', disputed: 100, at: START + 2 * DAY }, START + 2 * DAY);
    expect(has(START + 2 * DAY)).toEqual({ allowance: 100, packs: 0 });
    expect(has(on('2026-02-28'))).toEqual({ allowance: 300, packs: 0 });
  });

  it('has them beside those of a subscription that still runs', () => {
    const { made, has } = yearly();
    made.hears(lifetime, START + DAY);
    expect(has(START + DAY)).toEqual({ allowance: 1300, packs: 0 });
  });
});

describe('a pack that expires', () => {
  const pack = bought('pi_90', START, { credits: 100, expiresAfterDays: 90 });
  const END = START + 90 * DAY;

  it('is spent before one that is kept, and is gone at its end', () => {
    const { made, has } = account([bought('pi_kept', START - DAY, { credits: 10 }), START], [pack, START]);
    made.spends(40, START + DAY);
    expect(has(END - 1)).toEqual({ allowance: 0, packs: 70 });
    expect(has(END)).toEqual({ allowance: 0, packs: 10 });
    made.hears({ kind: 'customer_seen', at: END }, END);
    expect(made.record).not.toHaveProperty('allowances');
    expect(made.ledger.at(-1)).toMatchObject({ kind: 'period', deltaPack: -60 });
  });

  it('gives back what its refund takes, then what was there, and nothing once it has ended', () => {
    const kept = bought('pi_kept', START - DAY, { credits: 10 });
    const { made, has } = account([kept, START], [pack, START]);
    made.spends(95, START + DAY);
    made.hears(refunded('pi_90', 100, START + 2 * DAY), START + 2 * DAY);
    expect(has(START + 2 * DAY)).toEqual({ allowance: 0, packs: 0 });
    const late = account([kept, START], [pack, START]);
    late.made.spends(95, START + DAY);
    late.made.hears(refunded('pi_90', 100, END + DAY), END + DAY);
    expect(late.has(END + DAY)).toEqual({ allowance: 0, packs: 10 });
  });

  it('may be refunded before it is bought', () => {
    const { has } = account([refunded('pi_90', 50, START + DAY), START], [pack, START + DAY]);
    expect(has(START + DAY)).toEqual({ allowance: 0, packs: 50 });
  });
});

describe('free credits', () => {
  it.each([FREE, FREE_GUEST])(
    'of the source %s stay beside what is bought, and are no part of a plan',
    (source) => {
      const pool: Pool = {
        ...{ source, kind: 'allowance', amount: 5, every: 'month', left: 3, period: START },
        ...{ anchor: START, from: START, until: null },
      };
      const record = readRecord({
        ...{ paid: false, creditsRemaining: 3, creditsAllowance: 3, packCreditsRemaining: 0 },
        ...encodeRecord({ allowances: [pool], updatedAt: START }, (millis) => ({ toMillis: () => millis })),
      });
      const fact = bought('pi', START + DAY, { credits: 100 });
      const reduced = reduce(NO_FACTS, fact, null);
      if (reduced.kind === 'undecidable') throw new Error('a purchase has an order');
      const event = { id: 'evt_1', type: fact.kind, at: fact.at, customer: null, fact };
      const account = { facts: NO_FACTS, allocation: NOTHING_SPENT, record };
      const after = derive(account, reduced.facts, event, START + DAY, testCatalog).record;
      expect(after).toMatchObject({ creditsAllowance: 3, packCreditsRemaining: 100, monthlyCredits: 0 });
      expect(after.allowances).toEqual([pool]);
    },
  );
});
