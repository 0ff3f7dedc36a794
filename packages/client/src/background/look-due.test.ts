import { PLAN } from '@extension-billing/contract/test/catalog';
import { HOUR } from '@extension-billing/contract/time';
import { expect, it } from 'vitest';
import { aSnapshot } from '../../test/factories.ts';
import { isLookDue } from './look-due.ts';

const NOW = Date.UTC(2026, 10, 22, 12);
const isDue = (fields: Parameters<typeof aSnapshot>[0]): boolean =>
  isLookDue(aSnapshot({ contactAt: NOW - HOUR, currentPeriodEnd: NOW + 48 * HOUR, ...fields }), 'ada', NOW);

it('is not, while the server’s word is of today and takes its course', () => {
  expect(isDue({})).toBe(false);
  expect(isDue({ paid: false, state: 'free', currentPeriodEnd: null })).toBe(false);
});

it('is once where a period has ended since: it may have been renewed', () => {
  const over = { currentPeriodEnd: NOW - 1, entitledUntil: NOW + 48 * HOUR };
  expect(isDue(over)).toBe(true);
  expect(isDue({ ...over, contactAt: NOW - 1 })).toBe(false);
});

it('is once a day', () => {
  expect(isDue({ contactAt: NOW - 24 * HOUR + 1 })).toBe(false);
  expect(isDue({ contactAt: NOW - 24 * HOUR })).toBe(true);
});

it('is where nothing is known of the user, and where the clock was set back', () => {
  expect(isLookDue(null, 'ada', NOW)).toBe(true);
  expect(isDue({ uid: 'grace' })).toBe(true);
  expect(isDue({ contactAt: NOW + 1 })).toBe(true);
});

it('is once where a bound of the server’s has taken access away since it was heard', () => {
  const ended = { entitledUntil: NOW - 1 };
  expect(isDue(ended)).toBe(true);
  expect(isDue({ ...ended, contactAt: NOW - 1 })).toBe(false);
});

it('is where an entitlement beside a lifetime plan has ended since', () => {
  const beside = { state: 'lifetime', plan: PLAN.lifetime, entitlements: ['pro'] } as const;
  expect(isDue({ ...beside, entitlementsUntil: { pro: NOW - 1 } })).toBe(true);
  expect(isDue({ ...beside, entitlementsUntil: { pro: NOW + 1 } })).toBe(false);
});
