import { DAY } from '@extension-billing/contract/time';
import { expect, it } from 'vitest';
import { peopleOf, readUsers } from './extensionpay.ts';

const NOW = Date.UTC(2026, 10, 22);

/** As ExtensionPay's server answers its library, dates as texts. */
const PAID = {
  ...{ paid: true, paidAt: '2026-01-05T10:00:00.000Z', email: 'Ada@Example.com', trialStartedAt: null },
  plan: { unitAmountCents: 1000, currency: 'usd', nickname: 'pro', intervalCount: 1, interval: 'month' },
  ...{ subscriptionStatus: 'active', subscriptionCancelAt: null },
};
const people = (users: readonly object[], trial: number | null = null) =>
  peopleOf(readUsers(JSON.stringify(users)), { trial, now: NOW });

it('reads users as getUser() answers them: as a list, by the line, and as CSV alike', () => {
  const csv = [
    'email,paid,paidAt,plan.unitAmountCents,plan.currency,plan.nickname,plan.interval,plan.intervalCount,subscriptionStatus',
    '"Ada@Example.com",TRUE,2026-01-05T10:00:00.000Z,1000,USD,"pro",month,1,active',
  ].join('\r\n');
  const [one] = readUsers(JSON.stringify([PAID]));
  expect(one).toMatchObject({ email: 'ada@example.com', plan: { interval: 'month', count: 1 } });
  expect(readUsers(JSON.stringify(PAID))).toEqual([one]);
  expect(readUsers(csv)).toEqual([one]);
});

it('understands a plan whose interval and its count are the wrong way round, as in an example of their README', () => {
  const plan = { unitAmountCents: 9900, currency: 'usd', nickname: null, intervalCount: 'year', interval: 1 };
  expect(readUsers(JSON.stringify([{ ...PAID, plan }]))).toMatchObject([
    { plan: { interval: 'year', count: 1 } },
  ]);
});

it.each([
  ['a user without paid', '[{"email":"a@b.c"}]', 'User 1'],
  ['a date that is none', '[{"paid":true,"paidAt":"soon"}]', 'paidAt'],
  ['text that is no JSON', '[{]', 'no JSON'],
  ['a row that is too long', 'email,paid\na@b.c,true,1', 'Row 2'],
  ['a quote that is never closed', 'email,paid\n"a@b.c,true', 'no CSV'],
])('refuses %s, with where it is', (_, text, says) => {
  expect(() => readUsers(text)).toThrow(says);
});

it('makes one person of the rows of one mail address, with all their rights', () => {
  const free = { paid: true, email: 'ada@example.com' };
  expect(people([PAID, free])).toMatchObject([
    {
      name: 'ada@example.com',
      uid: null,
      said: [{ about: expect.stringContaining('subscription') }, { about: 'free' }],
    },
  ]);
});

it('gives for good what was paid once or given, and bridges a subscription that Stripe does not have', () => {
  const once = {
    ...PAID,
    plan: { ...PAID.plan, interval: 'once', intervalCount: null },
    subscriptionStatus: null,
  };
  const ends = { ...PAID, subscriptionCancelAt: '2026-12-01T00:00:00.000Z' };
  const untils = [once, { paid: true, email: 'a@b.c' }, PAID, ends].map(
    (user) => people([user])[0]?.said[0]?.until,
  );
  expect(untils).toEqual([null, null, NOW + 31 * DAY, Date.UTC(2026, 11, 1)]);
});

it('carries a trial that is under way to its end, where the owner says how long it is', () => {
  const trial = { paid: false, email: 'a@b.c', trialStartedAt: '2026-11-20T00:00:00.000Z' };
  expect(people([trial], 7 * DAY)).toMatchObject([
    { trialUsed: true, said: [{ about: 'trial', until: Date.UTC(2026, 10, 27) }] },
  ]);
  expect(people([trial])).toMatchObject([{ trialUsed: true, said: [] }]);
});

it('brings nothing for who has not paid, and nobody without a mail address', () => {
  expect(people([{ ...PAID, paid: false, subscriptionStatus: 'past_due' }])).toMatchObject([{ said: [] }]);
  expect(people([{ ...PAID, email: null }])).toEqual([]);
});
