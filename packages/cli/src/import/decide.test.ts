import { NO_CREDITS } from '@extension-billing/contract/customer';
import { PLAN, testCatalog } from '@extension-billing/contract/test/catalog';
import { withTiers } from '@extension-billing/contract/test/other-catalogs';
import type { Stripe } from 'stripe';
import { expect, it } from 'vitest';
import { parseUid } from '../../../../functions/src/store/documents.ts';
import { saleSeal } from '../../../../functions/src/stripe/seal.ts';
import { decide, FOR_GOOD, type Rules, type Seen } from './decide.ts';
import { GIVEN } from './mapping.ts';
import { NOBODY, type SaidRight } from './person.ts';

const NOW = Date.UTC(2026, 10, 22);
const uid = parseUid('ada') ?? expect.fail();
const rules: Rules = {
  ...{ source: 'extensionpay', catalog: testCatalog, chosen: new Map(), project: 'shop', now: NOW },
  seal: saleSeal([]).seal,
  trustsMail: false,
};
const seen: Seen = {
  ...{ uid, signIn: 'new', customers: [], owners: new Map(), audits: [], elsewhere: new Map() },
  stored: { record: null, stored: null, ledger: NO_CREDITS, customers: [] },
};
const FREE: SaidRight = {
  about: 'free',
  price: { names: ['free'], interval: GIVEN, count: 1, currency: null, amount: null },
  ...{ stripe: null, isBeside: false, until: null },
};
const person = (...said: readonly SaidRight[]) => ({ ...NOBODY, name: 'ada@example.com', said });

function aSubscription(over: object = {}) {
  const price = { id: 'price_1', recurring: { interval: 'month', interval_count: 1 }, currency: 'usd' };
  return {
    ...{ id: 'sub_1', status: 'active', trial_end: null, metadata: {} },
    items: { data: [{ price: { ...price, lookup_key: null, nickname: null, unit_amount: 900 } }] },
    ...over,
  } as unknown as Stripe.Subscription;
}
const withSubscription = (subscription: Stripe.Subscription, metadata: Stripe.Metadata = {}): Seen => ({
  ...seen,
  customers: [
    {
      customer: { id: 'cus_1', metadata } as Stripe.Customer,
      ...{ subscriptions: [subscription], payments: [], intents: new Set() },
    },
  ],
});

it('writes onto a subscription and its customer what checkout would have', () => {
  expect(decide(person(), withSubscription(aSubscription()), rules)).toMatchObject({
    tags: [
      { kind: 'customer', id: 'cus_1', metadata: { uid, project: 'shop' } },
      {
        ...{ kind: 'subscription', id: 'sub_1' },
        metadata: {
          uid,
          kind: 'subscription',
          lookup_key: PLAN.monthly,
          price_id: 'price_1',
          project: 'shop',
        },
      },
    ],
    ...{ links: ['cus_1'], brings: true, isPaidThere: true, problems: [] },
  });
});

it('touches nothing that this project or another one sold, nothing that is over, and nobody else’s customer', () => {
  for (const other of [
    withSubscription(aSubscription({ metadata: { project: 'shop', uid } })),
    withSubscription(aSubscription({ metadata: { project: 'other', uid: 'eve' } })),
    withSubscription(aSubscription({ status: 'canceled' })),
  ])
    expect(decide(person(), other, rules)).toMatchObject({
      tags: [],
      links: [],
      brings: false,
      problems: [],
    });
  const eves = withSubscription(aSubscription(), { uid: 'eve' });
  expect(decide(person(FREE), eves, rules)).toMatchObject({
    tags: [],
    links: [],
    problems: [expect.stringContaining('cus_1 says uid=eve')],
  });
});

it('gives by hand the most that a plan entitles to, by one name, and for good where there is no end', () => {
  const chosen = new Map([['free', PLAN.metered]]);
  expect(decide(person(FREE), seen, { ...rules, catalog: withTiers, chosen }).gifts).toEqual([
    { reason: 'taken over from extensionpay: free, pro', entitlement: 'pro', until: FOR_GOOD },
  ]);
  expect(decide(person(FREE), seen, { ...rules, catalog: withTiers })).toMatchObject({
    gifts: [],
    problems: [expect.stringContaining('--map free=<lookup key>')],
  });
});

it('gives nothing beside what Stripe shows in force, nothing that has ended, and nothing twice', () => {
  const given = (audits: Seen['audits']) => decide(person(FREE), { ...seen, audits }, rules).gifts;
  const reason = 'taken over from extensionpay: free, paid';
  const about = { actor: 'import:extensionpay', reason, uid, grant: 'hand_1', at: NOW };
  const grant = {
    ...{ ...about, what: 'grant' as const, credits: 0, entitlements: ['paid'], until: FOR_GOOD, request: '' },
  };
  expect(given([])).toHaveLength(1);
  expect(given([grant])).toEqual([]);
  expect(given([grant, { ...about, what: 'revoke' }])).toHaveLength(1);
  expect(given([{ ...grant, actor: 'person:ada' }])).toHaveLength(1);
  expect(decide(person(FREE), withSubscription(aSubscription()), rules).gifts).toEqual([]);
  expect(decide(person({ ...FREE, until: NOW }), seen, rules)).toMatchObject({ gifts: [], brings: false });
});

it('asks for a word on a document of the database that nobody sold', () => {
  const rights = { ...rules, source: 'firestore-stripe-payments' } as const;
  expect(decide(person({ ...FREE, isBeside: true }), seen, rights)).toMatchObject({
    gifts: [],
    problems: [expect.stringContaining('it was given, not sold')],
  });
});

it('remembers a used trial of who signs in already, and makes no sign-in for that alone', () => {
  const trial = { ...NOBODY, name: 'ada', trialUsed: true };
  expect(decide(trial, { ...seen, signIn: 'there' }, rules)).toMatchObject({
    marksTrial: true,
    brings: false,
  });
  expect(decide(trial, seen, rules)).toMatchObject({ marksTrial: false });
});
