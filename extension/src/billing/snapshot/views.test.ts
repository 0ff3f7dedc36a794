import { expect, it } from 'vitest';
import { aSnapshot, someCredits } from '../../../test/factories.ts';
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
  expect(entitlementView(aSnapshot({ paid: true }))).toEqual({ entitled: true, loading: false });
  expect(entitlementView(aSnapshot({ paid: false }))).toEqual({ entitled: false, loading: false });
});
