import { pricing } from '@extension-billing/contract/pricing';
import { beforeAll, expect, it } from 'vitest';
import { aSnapshot } from '../../../test/factories.ts';
import { useEnglish } from '../../../test/fake-i18n.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { deriveMeter } from './derive-meter.ts';
import { describeMeter } from './describe-meter.ts';

const NOW = new Date(2026, 10, 21, 12, 0).getTime();
const ENDS = NOW + 20 * 86_400_000;

function notesOf(fields: Partial<EntitlementSnapshot>): readonly string[] {
  const snapshot = aSnapshot({ currentPeriodEnd: ENDS, ...fields });
  const meter = deriveMeter(snapshot, pricing);
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
  const lifetime = { plan: 'premium_lifetime', state: 'lifetime', currentPeriodEnd: null } as const;
  const runningSubscription = {
    plan: 'premium_metered_monthly',
    status: 'active',
    currentPeriodEnd: ENDS,
    cancelAtPeriodEnd: true,
  };
  expect(notesOf({ ...lifetime, runningSubscription })).toEqual(['Ends on Dec 11']);
  expect(notesOf(lifetime)).toEqual([]);
});
