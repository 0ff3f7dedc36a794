import type { LookupKey } from '@extension-billing/contract/catalog';
import { PLAN, testCatalog } from '@extension-billing/contract/test/catalog';
import { beforeAll, expect, it } from 'vitest';
import { aSnapshot } from '../../../test/factories.ts';
import { useEnglish } from '../../../test/fake-i18n.ts';
import { providePricing } from '../../given-catalog.ts';
import { signedOutSnapshot } from '../../snapshot/project.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { describePack } from './benefits.ts';
import {
  derivePlanChoice,
  deriveYearlyPrice,
  describePlanEnd,
  intervalOf,
  planFamilies,
  plansApart,
  plansFor,
} from './choices.ts';
import { planNotes } from './plan-action.tsx';
import { siblingOf } from './plan-names.ts';

providePricing(testCatalog);

const plan = (lookupKey: LookupKey) => {
  const found = testCatalog.plans.find((offer) => offer.lookupKey === lookupKey);
  if (found === undefined) throw new Error(`No ${lookupKey} in the catalogue.`);
  return found;
};
const choices = (snapshot: EntitlementSnapshot) =>
  testCatalog.plans.map((offer) => derivePlanChoice(offer, snapshot, testCatalog).kind);
const free = (fields: Partial<EntitlementSnapshot> = {}) => ({
  ...signedOutSnapshot(0),
  uid: 'ada',
  ...fields,
});

it('offers a trial once', () => {
  const monthly = plan(PLAN.monthly);
  expect(derivePlanChoice(monthly, free(), testCatalog)).toEqual({ kind: 'buy', trialDays: 7 });
  expect(derivePlanChoice(monthly, free({ trialUsed: true }), testCatalog)).toEqual({
    kind: 'buy',
    trialDays: 0,
  });
  expect(derivePlanChoice(plan(PLAN.lifetime), free(), testCatalog)).toEqual({
    kind: 'buy',
    trialDays: 0,
  });
});

it('sells a lifetime plan beside a subscription, and changes it to another one', () => {
  const subscribed = aSnapshot({ plan: PLAN.monthly, status: 'active' });
  expect(choices(subscribed)).toEqual(['current', 'change', 'change', 'buy']);
});

it('says when a change takes effect: more at once, less when the period ends', () => {
  const whenOf = (from: LookupKey, to: LookupKey, fields: Partial<EntitlementSnapshot> = {}) => {
    const choice = derivePlanChoice(
      plan(to),
      aSnapshot({ plan: from, status: 'active', ...fields }),
      testCatalog,
    );
    return choice.kind === 'change' ? choice.when : choice;
  };
  expect(whenOf(PLAN.monthly, PLAN.metered)).toBe('now');
  expect(whenOf(PLAN.monthly, PLAN.yearly)).toBe('now');
  expect(whenOf(PLAN.metered, PLAN.monthly)).toBe('later');
  expect(whenOf(PLAN.yearly, PLAN.metered)).toBe('later');
  expect(whenOf(PLAN.monthly, PLAN.metered, { status: 'trialing' })).toBe('in_trial');
  const older = { amount: 2_500, currency: 'usd', interval: 'month' } as const;
  expect(whenOf(PLAN.monthly, PLAN.metered, { renewal: older })).toBe('later');
});

it('ends a trial for a plan that is sold without one', () => {
  const untried = { ...plan(PLAN.metered), trial: false };
  const inTrial = aSnapshot({ plan: PLAN.monthly, status: 'trialing' });
  expect(derivePlanChoice(untried, inTrial, testCatalog)).toEqual({ kind: 'change', when: 'ends_trial' });
});

it('shows a change that is planned, and none beside it or beside an end', () => {
  const plannedChange = { plan: PLAN.monthly, at: 9 };
  const planned = aSnapshot({ plan: PLAN.metered, status: 'active', plannedChange });
  expect(choices(planned)).toEqual(['planned', 'after_current', 'current', 'buy']);
  const ending = aSnapshot({ plan: PLAN.metered, status: 'active', cancelAtPeriodEnd: true });
  expect(derivePlanChoice(plan(PLAN.monthly), ending, testCatalog)).toEqual({ kind: 'after_current' });
});

it('sells nothing but packs to the owner of a lifetime plan', () => {
  const owner = aSnapshot({ plan: PLAN.lifetime, state: 'lifetime', status: null });
  expect(choices(owner)).toEqual(['included', 'included', 'included', 'current']);
});

it('sells every plan again once a subscription has ended', () => {
  const lapsed = free({ plan: PLAN.monthly, status: 'canceled' });
  expect(choices(lapsed)).toEqual(['buy', 'buy', 'buy', 'buy']);
});

it('keeps a plan that is not paid as the current one: the portal mends it', () => {
  const unpaid = free({ plan: PLAN.monthly, status: 'unpaid', state: 'past_due' });
  expect(choices(unpaid)).toEqual(['current', 'after_current', 'after_current', 'buy']);
});

it('shows one of a monthly and yearly pair, and always what has no pair', () => {
  const keys = (interval: 'month' | 'year') => plansFor(interval, testCatalog.plans).map((p) => p.lookupKey);
  expect(keys('month')).toEqual([PLAN.monthly, PLAN.metered, PLAN.lifetime]);
  expect(keys('year')).toEqual([PLAN.yearly, PLAN.metered, PLAN.lifetime]);
  expect(intervalOf(PLAN.yearly, testCatalog.plans)).toBe('year');
  expect(intervalOf(null, testCatalog.plans)).toBe('month');
});

it('says what a year costs each month and saves', () => {
  expect(deriveYearlyPrice(plan(PLAN.yearly), plan(PLAN.monthly))).toEqual({
    perMonth: 750,
    savingPercent: 16,
  });
  const dearer = { ...plan(PLAN.yearly), amount: 12_000 };
  expect(deriveYearlyPrice(dearer, plan(PLAN.monthly)).savingPercent).toBe(0);
});

it('sets what is billed monthly apart under "Yearly", and nothing apart where there is no choice', () => {
  expect(plansApart('year', testCatalog.plans)).toEqual([plan(PLAN.metered)]);
  expect(plansApart('month', testCatalog.plans)).toEqual([]);
  expect(plansApart('year', [plan(PLAN.monthly), plan(PLAN.lifetime)])).toEqual([]);
});

it('pairs month and year of two plans by their price, or by their name', () => {
  const [month, year] = [plan(PLAN.monthly), plan(PLAN.yearly)];
  const [dear, dearYear] = [
    { ...month, amount: 2_900 },
    { ...year, amount: 29_000 },
  ];
  for (const plans of [
    [month, dear, year, dearYear],
    [dearYear, year, dear, month],
  ]) {
    expect(siblingOf(year, plans)).toBe(month);
    expect(siblingOf(dearYear, plans)).toBe(dear);
    expect(siblingOf(dear, plans)).toBe(dearYear);
    expect(planFamilies(plans)).toHaveLength(2);
  }
  expect(siblingOf(dear, [month, dear, year])).toBeUndefined();
  const named = { ...year, name: 'Team' };
  expect(siblingOf(named, [month, { ...dear, name: 'Team' }, named])?.amount).toBe(2_900);
});

const NOW = new Date(2026, 10, 21, 12, 0).getTime();
const ENDS = NOW + 20 * 86_400_000;

function endsOf(fields: Partial<EntitlementSnapshot>, kind = 'lifetime'): readonly string[] {
  const offer = testCatalog.plans.find((plan) => plan.kind === kind);
  if (offer === undefined) throw new Error(`nothing of the kind ${kind} is sold`);
  const snapshot = aSnapshot({ plan: PLAN.monthly, currentPeriodEnd: ENDS, credits: null, ...fields });
  return describePlanEnd(offer, snapshot, NOW);
}

beforeAll(useEnglish);

it('says before a lifetime plan is bought when the one that runs ends, and that nothing renews then', () => {
  const ends = ['Your Premium plan then ends on Dec 11, nothing renews after that.'];
  expect(endsOf({ status: 'active' })).toEqual(ends);
  expect(endsOf({ status: 'active', cancelAtPeriodEnd: true, state: 'cancel_pending' })).toEqual(ends);
});

it('says that a trial costs nothing then, and that a plan whose payment failed ends at once', () => {
  expect(endsOf({ status: 'trialing', state: 'trial' })).toEqual([
    'Your trial then ends on Dec 11 without a charge.',
  ]);
  for (const status of ['past_due', 'unpaid', 'paused']) {
    expect(endsOf({ status })).toEqual(['Your Premium plan then ends at once and is not charged again.']);
  }
});

it('names no day that has passed', () => {
  const currentPeriodEnd = NOW - 86_400_000;
  expect(endsOf({ status: 'trialing', state: 'trial', currentPeriodEnd })).toEqual([
    'Your trial then ends without a charge.',
  ]);
});

it('says that the monthly credits end with their plan', () => {
  expect(endsOf({ status: 'active', plan: PLAN.metered })).toContain('Its credits end with it, packs stay.');
});

it('says nothing where nothing runs, of other offers, and to those who own it', () => {
  expect(endsOf({ status: 'canceled', paid: false, state: 'free' })).toEqual([]);
  expect(endsOf({ status: null, paid: false, state: 'free', plan: null })).toEqual([]);
  expect(endsOf({ status: 'active' }, 'subscription')).toEqual([]);
  expect(endsOf({ status: 'active', plan: PLAN.lifetime, state: 'lifetime' })).toEqual([]);
});

it('says that a lifetime plan has all of a plan but its credits', () => {
  const owner = aSnapshot({ plan: PLAN.lifetime, state: 'lifetime', status: 'active', entitlements: [] });
  const notes = testCatalog.plans.map((plan) => planNotes(plan, owner, NOW)[0]);
  expect(notes.filter((note) => note?.endsWith('but not its credits.'))).toHaveLength(
    testCatalog.plans.filter(({ credits }) => credits !== null).length,
  );
});

it('never says that credits of a pack cost nothing', () => {
  const [pack] = testCatalog.packs;
  if (pack === undefined) throw new Error('No pack in the catalogue.');
  expect(describePack({ ...pack, amount: 500, credits: 1_000_000 })).toMatch(/^\$0\.0005 per 100/);
});
