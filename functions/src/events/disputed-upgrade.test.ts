import { PLAN, testCatalog } from '@extension-billing/contract/test/catalog';
import { expect, it } from 'vitest';
import type { Fact } from '../stripe/facts.ts';
import { derive, NOTHING_SPENT } from './derive.ts';
import { compareInvoices, type Facts, mergeGrant, NO_FACTS, reduce } from './facts.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 1);
const period = { periodStart: NOW, periodEnd: NOW + 30 * DAY };

const paid = (over: object = {}): Extract<Fact, { kind: 'allowance_paid' }> => ({
  kind: 'allowance_paid',
  ...{ subscription: 'sub_1', invoice: 'in_1', ...period, amountPaid: 900 },
  ...{ invoiceCreated: NOW, renews: false, credits: 20, billed: { price: 'price_small', quantity: 1 } },
  ...{ at: NOW, ...over },
});

/** A plan of 20 credits that was changed to one of 1,000 in its period, and what became of that payment. */
function recordAfter(disputed: number | null, outcome: 'open' | 'won' | 'lost' = 'lost') {
  const state = {
    ...{ status: 'active', cancel: false, lookupKey: PLAN.metered, trialed: false, tagged: true },
    ...{ periodStart: NOW, periodEnd: NOW + 30 * DAY, entitlements: ['pro'] },
    brings: { credits: 1000, price: 'price_large', quantity: 1, from: NOW, until: NOW + 30 * DAY },
  };
  const before = { lookupKey: PLAN.monthly, entitlements: ['basic'], credits: 20 };
  const facts: readonly Fact[] = [
    paid(),
    { kind: 'subscription_seen', subscription: 'sub_1', state, first: false, at: NOW + 2_000 },
    ...(disputed === null
      ? []
      : [
          {
            kind: 'invoice_disputed',
            ...{ invoice: 'in_2', subscription: 'sub_1', dispute: 'dp_1' },
            ...{ outcome, disputed, amount: 1000, at: NOW + 9_000 },
            upgrade: { at: NOW + 2_000, until: NOW + 30 * DAY, before },
          } as const,
        ]),
  ];
  const known = facts.reduce<Facts>((all, fact) => {
    const reduced = reduce(all, fact, 'cus_1');
    return reduced.kind === 'reduced' ? reduced.facts : expect.fail();
  }, NO_FACTS);
  const event = {
    id: 'evt',
    type: 'look',
    at: NOW,
    customer: null,
    fact: { kind: 'customer_seen', at: 0 },
  } as const;
  const account = { facts: known, allocation: NOTHING_SPENT, record: null };
  return derive(account, known, event, NOW + DAY, testCatalog).record;
}

const upgraded = { paid: true, plan: PLAN.metered, entitlements: ['pro'], creditsAllowance: 1000 };

it.each([
  ['is not disputed', null, 'lost', upgraded],
  [
    'is disputed',
    1000,
    'open',
    { paid: true, plan: PLAN.monthly, entitlements: ['basic'], creditsAllowance: 20 },
  ],
  [
    'is lost',
    1000,
    'lost',
    { paid: true, plan: PLAN.monthly, entitlements: ['basic'], creditsAllowance: 20 },
  ],
  ['is won', 1000, 'won', upgraded],
  ['is disputed for a half', 500, 'lost', { ...upgraded, creditsAllowance: 510 }],
] as const)('an upgrade whose payment %s leaves what is paid for', (_what, disputed, outcome, left) => {
  expect(recordAfter(disputed, outcome)).toMatchObject(left);
});

it('of two invoices in the second in which a period begins, the change is newer, whatever their ids', () => {
  const renewal = paid({ renews: true, credits: 0 });
  const change = paid({ renews: true, changes: true, credits: 1000 });
  for (const [first, second] of [
    ['in_a', 'in_b'],
    ['in_b', 'in_a'],
  ] as const) {
    const [a, b] = [
      { ...renewal, invoice: first },
      { ...change, invoice: second },
    ];
    expect(mergeGrant(mergeGrant(undefined, a), b)).toMatchObject({ invoice: second, credits: 1000 });
    expect(mergeGrant(mergeGrant(undefined, b), a)).toMatchObject({ invoice: second, credits: 1000 });
    expect(compareInvoices(mergeGrant(undefined, a), mergeGrant(undefined, b))).toBeLessThan(0);
  }
});
