import { expect, it } from 'vitest';
import { aSnapshot, someCredits } from '../../test/factories.ts';
import { billingStateView, creditsView, entitlementView } from './views.ts';

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
