import { PLAN, testCatalog } from '@extension-billing/contract/test/catalog';
import { beforeAll, expect, it } from 'vitest';
import { aRecord, aSnapshot, someCredits } from '../../../test/factories.ts';
import { useEnglish } from '../../../test/fake-i18n.ts';
import { providePricing } from '../../given-catalog.ts';
import { projectRecord } from '../../snapshot/project.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { deriveNotification, describeNotification } from './notifications.ts';

providePricing(testCatalog);

beforeAll(useEnglish);

const NOW = new Date(2026, 10, 21, 12).getTime();
const END = new Date(2026, 11, 11, 12).getTime();
const free = aSnapshot({ paid: false, plan: null, status: null, state: 'free', credits: null });
const active = aSnapshot({ state: 'active', currentPeriodEnd: END, credits: someCredits(40) });

function notificationOf(before: EntitlementSnapshot, after: EntitlementSnapshot): string | null {
  const notification = deriveNotification(before, after);
  return notification === null ? null : describeNotification(notification, NOW).text;
}

it.each<[string, EntitlementSnapshot, EntitlementSnapshot]>([
  ['Welcome to Premium with credits.', free, active],
  ['Premium with credits is yours to try until Dec 11.', free, { ...active, state: 'trial' }],
  ['Lifetime is yours for good.', active, { ...active, plan: PLAN.lifetime, state: 'lifetime' }],
  ['Your plan ends on Dec 11. You keep access until then.', active, { ...active, state: 'cancel_pending' }],
  ['Your plan goes on.', { ...active, state: 'cancel_pending' }, active],
  ['Changes to Premium on Dec 11.', active, { ...active, plannedChange: { plan: PLAN.monthly, at: END } }],
  ['Your plan goes on.', { ...active, plannedChange: { plan: PLAN.monthly, at: END } }, active],
  ['A payment failed. Update it to keep your plan.', active, { ...active, state: 'past_due' }],
  ['Payment received. Your plan goes on.', { ...active, state: 'past_due' }, active],
  [
    'Your plan has ended.',
    active,
    { ...active, paid: false, plan: null, state: 'free', credits: someCredits(0) },
  ],
  ['1,000 fresh credits are here.', active, { ...active, credits: someCredits(1_000) }],
  [
    '100 credits added, 140 left.',
    active,
    { ...active, credits: { ...someCredits(40), balance: 140, packCredits: 100 } },
  ],
  [
    '100 credits added, 100 left.',
    free,
    { ...free, credits: { ...someCredits(0), balance: 100, packCredits: 100 } },
  ],
])('%s', (text, before, after) => {
  expect(notificationOf(before, after)).toBe(text);
});

it('says nothing of a spend: whoever spent it has said so', () => {
  expect(notificationOf(active, { ...active, credits: someCredits(39) })).toBeNull();
});

it('says nothing of credits that a reservation held and let go, and of a purchase meanwhile all of it', () => {
  const hold = { reservation: 'job', feature: 'demo_deep', credits: 5, expiresAt: NOW + 60_000 };
  const packs = (packCreditsRemaining: number, creditHolds: readonly (typeof hold)[]) =>
    projectRecord(
      'ada',
      aRecord({
        creditsRemaining: packCreditsRemaining,
        creditsAllowance: 0,
        packCreditsRemaining,
        creditHolds,
      }),
      NOW,
    );
  expect(notificationOf(packs(100, [hold]), packs(100, []))).toBeNull();
  expect(notificationOf(packs(100, [hold]), packs(97, [])), 'measured: 3 of 5 were taken').toBeNull();
  expect(notificationOf(packs(100, [hold]), packs(200, [hold]))).toBe('100 credits added, 195 left.');
  expect(notificationOf({ ...active, credits: { ...someCredits(35), held: 5 } }, active)).toBeNull();
});

it('says nothing of a trial that turned into the plan, nor of the same state again', () => {
  expect(notificationOf({ ...active, state: 'trial' }, active)).toBeNull();
  expect(notificationOf(active, { ...active, updatedAt: active.updatedAt + 1 })).toBeNull();
});

it('compares no user with another', () => {
  expect(notificationOf(free, { ...active, uid: 'grace' })).toBeNull();
  expect(notificationOf(active, { ...free, uid: null })).toBeNull();
});
