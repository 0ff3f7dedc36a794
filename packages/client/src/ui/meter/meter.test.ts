import { PLAN, testCatalog } from '@extension-billing/contract/test/catalog';
import { beforeAll, expect, it } from 'vitest';
import { aSnapshot } from '../../../test/factories.ts';
import { useEnglish } from '../../../test/fake-i18n.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { deriveMeter, describeMeter, nextCreditsAt } from './meter.ts';

const withCredits = (allowance: number, packCredits: number, fields: Partial<EntitlementSnapshot> = {}) =>
  aSnapshot({
    credits: { balance: allowance + packCredits, allowance, packCredits, monthlyCredits: 1_000 },
    ...fields,
  });
const onPacks = (packCredits: number) =>
  withCredits(0, packCredits, { paid: false, plan: null, state: 'free' });

it('draws nothing where credits are not in use', () => {
  expect(deriveMeter(aSnapshot({ credits: null }), testCatalog)).toBeNull();
});

it('measures free credits that nobody spent of yet by themselves, and calls no period that it does not know', () => {
  const credits = { balance: 20, allowance: 20, packCredits: 0, monthlyCredits: 0, expected: true } as const;
  const snapshot = aSnapshot({ paid: false, plan: null, state: 'free', currentPeriodEnd: null, credits });
  const meter = deriveMeter(snapshot, testCatalog);
  expect(meter).toMatchObject({ balance: 20, capacity: 20, level: 'healthy' });
  expect(meter && describeMeter(meter, snapshot, NOW)).toEqual([{ part: 'allowance', text: '20 of 20' }]);
});

it('fills the bar with a whole allowance and every pack credit', () => {
  expect(deriveMeter(withCredits(1_000, 100), testCatalog)).toMatchObject({
    balance: 1_100,
    capacity: 1_100,
  });
  expect(deriveMeter(withCredits(400, 100), testCatalog)).toMatchObject({ balance: 500, capacity: 1_100 });
});

it('measures pack credits by the smallest pack, and is full above it', () => {
  expect(deriveMeter(onPacks(64), testCatalog)).toMatchObject({ capacity: 100, monthlyCredits: 0 });
  expect(deriveMeter(onPacks(101), testCatalog)).toMatchObject({ capacity: 101 });
  expect(deriveMeter(onPacks(64), { ...testCatalog, packs: [] })).toMatchObject({ capacity: 64 });
});

it('never grows on a spend', () => {
  const share = (snapshot: EntitlementSnapshot) => {
    const meter = deriveMeter(snapshot, testCatalog);
    return meter === null ? Number.NaN : meter.balance / meter.capacity;
  };
  for (let packs = 1; packs <= 600; packs += 1) {
    expect(share(onPacks(packs - 1)), `${packs} of packs`).toBeLessThanOrEqual(share(onPacks(packs)));
    const beside = (packCredits: number) => share(withCredits(0, packCredits));
    expect(beside(packs - 1), `${packs} beside an allowance`).toBeLessThanOrEqual(beside(packs));
  }
});

it('is low from a fifth of the allowance, or from 20 credits of packs', () => {
  expect(deriveMeter(withCredits(201, 0), testCatalog)?.level).toBe('healthy');
  expect(deriveMeter(withCredits(150, 50), testCatalog)?.level).toBe('low');
  expect(deriveMeter(onPacks(21), testCatalog)?.level).toBe('healthy');
  expect(deriveMeter(onPacks(20), testCatalog)?.level).toBe('low');
  expect(deriveMeter(onPacks(0), testCatalog)?.level).toBe('empty');
});

it('forgets the allowance of a plan that has ended', () => {
  const ended = withCredits(0, 100, { paid: false, state: 'free', status: 'canceled' });
  expect(deriveMeter(ended, testCatalog)).toMatchObject({ monthlyCredits: 0, capacity: 100 });
});

const NOW = new Date(2026, 10, 21, 12, 0).getTime();
const ENDS = NOW + 20 * 86_400_000;

function notesOf(fields: Partial<EntitlementSnapshot>): readonly string[] {
  const snapshot = aSnapshot({ currentPeriodEnd: ENDS, ...fields });
  const meter = deriveMeter(snapshot, testCatalog);
  if (meter === null) throw new Error('no meter is drawn');
  return describeMeter(meter, snapshot, NOW).flatMap(({ part, text }) => (part === 'note' ? [text] : []));
}

beforeAll(useEnglish);

it('says when the monthly credits reset, and when they end', () => {
  expect(notesOf({})).toEqual(['Resets on Dec 11']);
  expect(notesOf({ state: 'cancel_pending' })).toEqual(['Ends on Dec 11']);
});

it('names no day that has passed: what comes next is not known then', () => {
  for (const state of ['trial', 'active', 'cancel_pending'] as const)
    expect(notesOf({ state, currentPeriodEnd: NOW - 86_400_000 })).toEqual([]);
});

it('says when the monthly credits of the plan before a lifetime plan end', () => {
  const lifetime = { plan: PLAN.lifetime, state: 'lifetime', currentPeriodEnd: null } as const;
  const runningSubscription = {
    plan: PLAN.metered,
    status: 'active',
    currentPeriodEnd: ENDS,
    cancelAtPeriodEnd: true,
  };
  expect(notesOf({ ...lifetime, runningSubscription })).toEqual(['Ends on Dec 11']);
  expect(notesOf(lifetime)).toEqual([]);
});

const A_TIME = 1_000_000;

it('expects monthly credits at the end of a period that renews, and nowhere else', () => {
  const at = (fields: Parameters<typeof aSnapshot>[0]) =>
    nextCreditsAt(aSnapshot({ currentPeriodEnd: A_TIME + 1, ...fields }), A_TIME);
  expect(at({ state: 'active' })).toBe(A_TIME + 1);
  expect(at({ state: 'trial' })).toBe(A_TIME + 1);
  for (const state of ['cancel_pending', 'past_due', 'free', 'lifetime'] as const)
    expect(at({ state })).toBeNull();
  expect(at({ currentPeriodEnd: A_TIME })).toBeNull();
  expect(at({ currentPeriodEnd: null })).toBeNull();
});
