import { expect, it } from 'vitest';
import { aSnapshot } from '../../../test/factories.ts';
import { nextCreditsAt } from './next-credits.ts';

const NOW = 1_000_000;

it('expects monthly credits at the end of a period that renews, and nowhere else', () => {
  const at = (fields: Parameters<typeof aSnapshot>[0]) =>
    nextCreditsAt(aSnapshot({ currentPeriodEnd: NOW + 1, ...fields }), NOW);
  expect(at({ state: 'active' })).toBe(NOW + 1);
  expect(at({ state: 'trial' })).toBe(NOW + 1);
  for (const state of ['cancel_pending', 'past_due', 'free', 'lifetime'] as const)
    expect(at({ state })).toBeNull();
  expect(at({ currentPeriodEnd: NOW })).toBeNull();
  expect(at({ currentPeriodEnd: null })).toBeNull();
});
