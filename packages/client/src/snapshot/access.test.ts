import { DAY } from '@extension-billing/contract/time';
import { describe, expect, it } from 'vitest';
import { aSnapshot, someCredits } from '../../test/factories.ts';
import { accessView, billingStateView, snapshotAt } from './access.ts';
import type { EntitlementSnapshot } from './snapshot.ts';
import { countsIn, creditsView, entitlementView } from './views.ts';

const START = 100 * DAY;

/** A plan whose period ends ten days after the last contact. */
const aPlan = (fields: Partial<EntitlementSnapshot> = {}) =>
  aSnapshot({ contactAt: START, currentPeriodEnd: START + 10 * DAY, ...fields });
const at = (days: number, fields: Partial<EntitlementSnapshot> = {}) => {
  const { entitled, staleness, accessUntil } = accessView(aPlan(fields), START + days * DAY);
  return [entitled, staleness, accessUntil === null ? null : (accessUntil - START) / DAY];
};

it('keeps a paid plan through its period, and a week longer for a renewal that could not be seen', () => {
  expect(at(0)).toEqual([true, 'confirmed', 17]);
  expect(at(9.9)).toEqual([true, 'confirmed', 17]);
  expect(at(10)).toEqual([true, 'unconfirmed', 17]);
  expect(at(16.9)).toEqual([true, 'unconfirmed', 17]);
  expect(at(17)).toEqual([false, 'lapsed', 17]);
});

it('ends a trial that nobody has heard of since in the same way: it is neither a plan nor a trial any more', () => {
  const trial = { state: 'trial', status: 'trialing' } as const;
  expect(at(12, trial)).toEqual([true, 'unconfirmed', 17]);
  expect(at(45, trial)).toEqual([false, 'lapsed', 17]);
});

it('believes nothing but a lifetime plan for more than thirty days without the server', () => {
  const yearly = { currentPeriodEnd: START + 300 * DAY };
  expect(at(29.9, yearly)).toEqual([true, 'confirmed', 30]);
  expect(at(30, yearly)).toEqual([false, 'lapsed', 30]);
  expect(at(30, { currentPeriodEnd: null })).toEqual([false, 'lapsed', 30]);
  expect(at(4_000, { state: 'lifetime', currentPeriodEnd: null })).toEqual([true, 'confirmed', null]);
});

it('ends a cancelled plan on its day: that end was known', () => {
  const cancelled = { state: 'cancel_pending', cancelAtPeriodEnd: true } as const;
  expect(at(9.9, cancelled)).toEqual([true, 'confirmed', 10]);
  expect(at(10, cancelled)).toEqual([false, 'lapsed', 10]);
});

it('ends where the server itself said that its word ends', () => {
  expect(at(3, { entitledUntil: START + 3 * DAY })).toEqual([false, 'lapsed', 3]);
  expect(at(12, { entitledUntil: START + 14 * DAY })).toEqual([true, 'unconfirmed', 14]);
  expect(at(20, { entitledUntil: START + 24 * DAY })).toEqual([true, 'unconfirmed', 24]);
  // Renewed against by a server that is a day late with its record: no bound of the client’s own comes before it.
  expect(at(13.5, { contactAt: START + 13 * DAY, entitledUntil: START + 14 * DAY })[0]).toBe(true);
});

it('locks nobody out whom the server has just confirmed, though the device’s clock runs a day ahead', () => {
  const late = { contactAt: START + 11 * DAY };
  expect(at(11, { ...late, state: 'cancel_pending' })).toEqual([true, 'confirmed', 12]);
  expect(at(11, late)).toEqual([true, 'confirmed', 17]);
});

it('takes a contact in the future for one of a clock that was set back since', () => {
  expect(at(-50)).toEqual([true, 'confirmed', -20]);
});

it('gives nobody what is not paid, and waits for nobody there', () => {
  expect(accessView(null, START)).toEqual({ entitled: false, staleness: 'confirmed', accessUntil: null });
  expect(at(400, { paid: false, state: 'past_due' })).toEqual([false, 'confirmed', null]);
});

it('shows a lapsed plan as free, and everything else as it is', () => {
  const plan = aPlan();
  expect(snapshotAt(plan, START)).toBe(plan);
  const lapsed = snapshotAt(plan, START + 40 * DAY);
  expect(lapsed).toEqual({ ...plan, paid: false, state: 'free', lapsedAt: START + 17 * DAY });
  expect(snapshotAt(lapsed, START + 41 * DAY)).toBe(lapsed);
});

it('is loading, not free, until a snapshot is known', () => {
  expect(entitlementView(null)).toEqual({ entitled: false, loading: true });
  expect(billingStateView(null)).toBeNull();
  expect(creditsView(null)).toEqual({ balance: null, allowance: null, exhausted: null });
});

it('gives null for all three when credits are not in use', () => {
  expect(creditsView(aSnapshot({ credits: null }))).toEqual({
    balance: null,
    allowance: null,
    exhausted: null,
  });
});

it('is exhausted at a balance of 0 and not before', () => {
  expect(creditsView(aSnapshot({ credits: someCredits(1) })).exhausted).toBe(false);
  expect(creditsView(aSnapshot({ credits: someCredits(0) }))).toEqual({
    balance: 0,
    allowance: 0,
    exhausted: true,
  });
});

it('is entitled as the snapshot says', () => {
  const moment = { now: 2_000 };
  expect(entitlementView(aSnapshot({ paid: true }), moment)).toEqual({ entitled: true, loading: false });
  expect(entitlementView(aSnapshot({ paid: false }), moment)).toEqual({ entitled: false, loading: false });
});

it('ends 45 days without the server, once a page with a network has waited for its word', () => {
  const now = 45 * 86_400_000;
  const snapshot = aSnapshot({ state: 'trial', status: 'trialing', contactAt: 0, currentPeriodEnd: 1 });
  const opened = { now, askedAt: now - 9_999 };
  expect(entitlementView(snapshot, opened)).toEqual({ entitled: false, loading: true });
  expect(billingStateView(snapshot, opened)).toBeNull();
  for (const moment of [{ now, askedAt: now - 10_000 }, { now }]) {
    expect(entitlementView(snapshot, moment)).toEqual({ entitled: false, loading: false });
    expect(billingStateView(snapshot, moment)).toBe('free');
  }
  const heard = { ...snapshot, contactAt: now };
  expect(entitlementView(heard, opened)).toEqual({ entitled: true, loading: false });
});

const TIERS = { entitlements: ['basic', 'pro'], state: 'lifetime', currentPeriodEnd: null } as const;
const has = (name: string, days: number, fields: Partial<EntitlementSnapshot> = {}) =>
  entitlementView(aPlan({ ...TIERS, ...fields }), { now: START + days * DAY }, name).entitled;

it('entitles to what the plans name, and to nothing else; nothing outlasts the plan', () => {
  const pro = aPlan({ entitlements: ['basic', 'pro'] });
  const views = ['paid', 'basic', 'pro', 'team'].map((name) => entitlementView(pro, { now: START }, name));
  expect(views.map(({ entitled }) => entitled)).toEqual([true, true, true, false]);
  expect(has('pro', 17, { state: 'active', currentPeriodEnd: START + 10 * DAY })).toBe(false);
  expect(has('pro', 0, { paid: false })).toBe(false);
});

it('ends what a subscription brings beside a lifetime plan with that one, and leaves the rest', () => {
  const beside = { entitlementsUntil: { pro: START + 17 * DAY } };
  expect([has('pro', 16.9, beside), has('pro', 17, beside)]).toEqual([true, false]);
  expect(has('basic', 4_000, beside)).toBe(true);
  expect(snapshotAt(aPlan({ ...TIERS, ...beside }), START + 17 * DAY).entitlements).toEqual(['basic']);
  // Not believed for longer than thirty days without the server, and not beyond an end that was announced.
  const yearly = { entitlementsUntil: { pro: START + 300 * DAY } };
  expect([has('pro', 29.9, yearly), has('pro', 30, yearly)]).toEqual([true, false]);
  const running = {
    plan: 'pro',
    status: 'active',
    currentPeriodEnd: START + 5 * DAY,
    cancelAtPeriodEnd: true,
  };
  expect(has('pro', 5, { ...yearly, runningSubscription: running })).toBe(false);
});

it('waits for the server where an entitlement has just lapsed, as for a plan', () => {
  const lapsed = aPlan({ ...TIERS, entitlementsUntil: { pro: START } });
  expect(entitlementView(lapsed, { now: START, askedAt: START }, 'pro')).toEqual({
    entitled: false,
    loading: true,
  });
  expect(entitlementView(lapsed, { now: START }, 'pro')).toEqual({ entitled: false, loading: false });
});

describe('of several extensions', () => {
  const app = { sells: ['pro_monthly'], entitlements: ['pro'] };
  const has = (plan: string | null, ...entitlements: string[]) => ({ plan, entitlements });

  it('each reads its own entitlements', () => {
    expect(countsIn(app, 'pro', has(null, 'pro'))).toBe(true);
    expect(countsIn(app, 'team', has(null, 'pro', 'team'))).toBe(false);
  });

  it('“paid” counts where it sells the plan, or reads something of what it brings', () => {
    expect(countsIn(app, 'paid', has('pro_monthly'))).toBe(true);
    expect(countsIn(app, 'paid', has('team_yearly', 'pro', 'team'))).toBe(true);
    expect(countsIn(app, 'paid', has('team_yearly', 'team'))).toBe(false);
    expect(countsIn(app, 'paid', null)).toBe(false);
  });

  it('one alone reads all there is', () => {
    expect(countsIn(null, 'paid', has('team_yearly'))).toBe(true);
  });
});
